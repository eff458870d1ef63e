/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What the server tells our congestion controls of one socket. Included by both: plain C. */
#pragma once

#include <linux/types.h>

/* TCP_CA_NAME_MAX of include/net/tcp.h, the final NUL included. */
#define SYMCAST_NAME_MAX 16

/* The server puts one on a socket (BPF_MAP_TYPE_SK_STORAGE); it goes with the socket. The first
 * four are done once, when a congestion control of ours is selected; the others are read at every
 * acknowledgement and may change at any time. */
struct symcast_hint {
  __u32 ssthresh;              /* segments; 0: leave */
  __u32 cwnd;                  /* segments; 0: leave */
  __u32 rto_min;               /* µs; 0: leave. Of sym_poke, which leaves 0 where it is done */
  char next[SYMCAST_NAME_MAX]; /* what sym_poke gives way to; empty: it stays */
  __u64 capacity;              /* of the path's narrowest link, bytes/s; 0: unknown */
  __u64 video_rate;            /* bytes/s; 0: unknown */
};
