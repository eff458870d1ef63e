/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The records that the event programs and the server exchange. Plain C, because both include it. */
#pragma once

#include <linux/types.h>

/* Maximum number of ring buffers, one per event loop. */
#define SYMCAST_MAX_RINGS 64

enum symcast_event_kind {
  SYMCAST_REXMT = 0,  /* a retransmission timer expired, back-offs included */
  SYMCAST_DUPACK = 1, /* fast recovery began */
  SYMCAST_TLP = 2,    /* a tail loss probe was sent (RFC 8985, 7) */
  SYMCAST_CWR = 3,    /* window reduced: ECN, a local drop, or a loss that a probe recovered */
  SYMCAST_UNDO = 4,   /* a reduction was unnecessary and is undone */
  SYMCAST_RTT = 5,    /* the smoothed RTT exceeded the limit that the server has set */
};

/* One event, as the kernel saw it. Whether cwnd and ssthresh are from before or after the event
 * depends on the program and the kind (src/tcpinfo/congestion_event.h). */
struct symcast_event {
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 session; /* symcast_watch::session */
  __u32 kind;    /* enum symcast_event_kind */
  __u32 cwnd;    /* segments */
  __u32 ssthresh;
  __u32 srtt_us;
  __u32 sacked; /* segments of the window */
  __u32 lost;   /* segments of the window */
};

/* The server attaches one to each socket whose events it wants (BPF_MAP_TYPE_SK_STORAGE). It is
 * freed with the socket. The programs keep the last three fields for themselves. */
struct symcast_watch {
  __u64 session;
  __u32 ring;        /* index of the ring buffer */
  __u32 recover;     /* sequence number at which the last loss episode ends */
  __u32 has_recover; /* whether `recover` is set */
  __u32 undoable;    /* the current episode may still be undone */
};
