/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The arithmetic of CCP (Capacity and Congestion Probing): Watanabe et al. 2013, section IV,
 * equation 1, evaluated at each acknowledgement:
 *
 *   w = (Kp * (B - x) - f) / 2             CCP
 *   w = (Kp * (B - x) - Kd * x' - f) / 2   CCPD: x' is the growth of x in one round trip
 *
 * w: the window, B: the storage of the path, x: the backlog in its queue, f: the segments in
 * flight; all in segments.
 *
 *   x = w * (T - Tmin) / T      Little's law: the part of w that waits in the queue
 *
 * At rest f = w, so w = Kp * (B - x) / 3, and x = w - BDP once a queue has formed. With Kp = 1 each
 * round trip multiplies a disturbance of w by -1/3; with Kd = 1/4 the root of
 * z^2 + (Kp + Kd) / 3 * z - Kd / 3 with the larger magnitude is -0.56. Both disturbances die out
 * (|z| < 1 requires Kp + 2 * Kd < 3).
 * The paper names B but does not define it. Here
 *
 *   B = C * (3 * Tmin + 2 * (Tmax - Tmin)) / MSS      C: capacity
 *
 * so at rest w = BDP + Q / 2, a full pipe and a half-full queue. Q = C * (Tmax - Tmin) is the
 * largest queue seen so far.
 *
 * Integers, rounded down; gains are Q8. With C up to 2^34 bytes/s and T up to 2^23 µs the product
 * stays below 2^59, and with an MSS of at least 48 bytes B stays below 1.2e10. B, x and f are
 * capped at 2^30.
 */
#pragma once

#include <linux/types.h>

#define CCP_KP 256       /* 1, Q8 */
#define CCP_KD 64        /* 1/4, Q8 */
#define CCP_MIN_WINDOW 4 /* segments; fewer rule out fast retransmit: RFC 5681, 3.2 */
#define CCP_MAX_SEGMENTS (1u << 30)
#define CCP_MAX_CAPACITY (1ull << 34) /* bytes/s: 137 Gbit/s */
#define CCP_MAX_RTT_US (1u << 23)     /* 8.4 s */
#define CCP_MIN_MSS 48                /* TCP_MIN_SND_MSS, include/net/tcp.h */

static inline __u32 ccp_at_most(__u64 value, __u32 limit) { return value < limit ? value : limit; }

/* x of equation 1, in segments. */
static inline __u32 ccp_backlog(__u32 window, __u32 rtt_us, __u32 min_rtt_us) {
  if (rtt_us <= min_rtt_us) return 0;
  const __u64 all = window;
  return all * (rtt_us - min_rtt_us) / rtt_us;
}

/* B of equation 1, in segments. `capacity` in bytes/s. */
static inline __u32 ccp_storage(__u64 capacity, __u32 min_rtt_us, __u32 max_rtt_us, __u32 mss) {
  if (capacity > CCP_MAX_CAPACITY) capacity = CCP_MAX_CAPACITY;
  const __u64 least = ccp_at_most(min_rtt_us, CCP_MAX_RTT_US);
  const __u64 longest = ccp_at_most(max_rtt_us, CCP_MAX_RTT_US);
  const __u64 time = 3 * least + (longest > least ? 2 * (longest - least) : 0);
  if (mss < CCP_MIN_MSS) mss = CCP_MIN_MSS;
  return ccp_at_most(capacity * time / 1000000 / mss, CCP_MAX_SEGMENTS);
}

/* w of CCP if `kd` is 0, else w of CCPD with x' = backlog - last_backlog. */
static inline __u32 ccp_window(__u32 storage, __u32 backlog, __u32 in_flight, __u32 kd,
                               __u32 last_backlog) {
  const __s64 b = ccp_at_most(storage, CCP_MAX_SEGMENTS);
  const __s64 x = ccp_at_most(backlog, CCP_MAX_SEGMENTS);
  const __s64 before = ccp_at_most(last_backlog, CCP_MAX_SEGMENTS);
  const __s64 f = ccp_at_most(in_flight, CCP_MAX_SEGMENTS);
  const __s64 twice = CCP_KP * (b - x) - kd * (x - before) - (f << 8);
  /* The shift rounds down; eBPF has no signed division. */
  const __s64 window = twice >> 9;
  return window < CCP_MIN_WINDOW ? CCP_MIN_WINDOW : window;
}
