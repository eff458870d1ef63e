/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The server's hints to our congestion controls about one socket. Plain C, because both include
 * it. */
#pragma once

#include <linux/types.h>

/* TCP_CA_NAME_MAX of include/net/tcp.h, including the final NUL. */
#define SYMCAST_NAME_MAX 16

/* The server attaches one to a socket (BPF_MAP_TYPE_SK_STORAGE); it is freed with the socket. The
 * first four fields are applied once, when one of our congestion controls is selected. The others
 * are read at every acknowledgement and may change at any time. 0 leaves a setting as it is, or
 * means that a rate is unknown. */
struct symcast_hint {
  __u32 ssthresh;              /* segments */
  __u32 cwnd;                  /* segments */
  __u32 rto_min;               /* µs; sym_poke applies it, and sets it to 0 if that worked */
  char next[SYMCAST_NAME_MAX]; /* the congestion control that sym_poke selects; "": none */
  __u64 capacity;              /* of the path's narrowest link, bytes/s */
  __u64 video_rate;            /* bytes/s */
};
