/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What the event programs and the server tell each other. Included by both: plain C. */
#pragma once

#include <linux/types.h>

/* Ring buffers at most: one for each event loop. */
#define SYMCAST_MAX_RINGS 64

enum symcast_event_kind {
  SYMCAST_REXMT = 0,  /* a retransmission timer expired; back-offs included */
  SYMCAST_DUPACK = 1, /* fast recovery began */
  SYMCAST_TLP = 2,    /* a tail loss probe was sent (RFC 8985, 7) */
  SYMCAST_CWR = 3,    /* the window is reduced: ECN, a local drop, or a loss that a probe mended */
  SYMCAST_UNDO = 4,   /* a reduction was not needed and is taken back */
};

/* One event, as it was when the kernel came upon it: whether cwnd and ssthresh are those before or
 * after it depends on the program and the kind (src/tcpinfo/congestion_event.h). */
struct symcast_event {
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 session; /* symcast_watch::session */
  __u32 kind;    /* enum symcast_event_kind */
  __u32 cwnd;    /* segments */
  __u32 ssthresh;
  __u32 srtt_us;
  __u32 sacked; /* segments of the window */
  __u32 lost;
};

/* The server puts one on each socket that it wants to hear of (BPF_MAP_TYPE_SK_STORAGE); it goes
 * with the socket. */
struct symcast_watch {
  __u64 session;
  __u32 ring;    /* which of the ring buffers */
  __u32 recover; /* program's own: sequence number at which the last episode ends */
  __u32 has_recover;
  __u32 undoable; /* program's own: the present episode may be undone */
};
