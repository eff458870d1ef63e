/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The arithmetic of TCP Libra: Marfia et al. 2007, "Balancing video on demand flows over links with
 * heterogeneous delays", section 4. The first two rules are from UCLA-CSD TR-050037, which that
 * paper cites.
 *
 *   for each acknowledged segment   w += 1/w * alpha * T^2 / (T + A)
 *   at a loss                       w -= w * B / (2 * (T + B))
 *   alpha = X * C * exp(-Y * beta),   beta = (T - Tmin) / (Tmax - Tmin)
 *
 * w: window in segments, T: round trip in s, C: capacity of the bottleneck in LIBRA_CAPACITY_UNIT
 * (docs/decisions/0009 says why 250 kbit/s); A = B = 1 s, X = Y = 2 (section 5). The rate w/T grows
 * by alpha / (T + 1) segments/s per second and falls by the fraction 1 / (2 * (T + 1)) at a loss,
 * so flows with different T that see the same losses tend to the same rate.
 *
 * Fixed point. The bounds hold for T up to LIBRA_MAX_RTT_US and C up to LIBRA_MAX_CAPACITY; larger
 * arguments are capped there.
 *   beta   Q16, rounded down
 *   decay  exp(-2 * beta) in Q16: linear between 65 table values, error below 1.4e-4
 *   alpha  Q10: 2 * C < 2^30, times decay < 2^46
 *   T^2 / (T + 1)   in µs, Q10, < 2^32: error below 2^-10 µs, a thousandth of the value at T = 1 ms
 *   growth = alpha * T^2 / (T + 1), segments per round trip, Q20: < 2^62
 */
#pragma once

#include <linux/types.h>

#define LIBRA_MAX_RTT_US (1u << 22)     /* 4.2 s */
#define LIBRA_MAX_CAPACITY (1ull << 33) /* bytes/s: 69 Gbit/s */
#define LIBRA_CAPACITY_UNIT 31250       /* bytes/s: 250 kbit/s */
#define LIBRA_MIN_CAPACITY 1250000      /* bytes/s: 10 Mbit/s (docs/decisions/0009) */
#define LIBRA_SECOND_US 1000000ull      /* A and B */
#define LIBRA_ONE 65536u                /* 1 in Q16 */

/* exp(-2 * i / 64) in Q16 */
static const __u32 libra_decay_table[65] = {
    65536, 63520, 61565, 59671, 57835, 56056, 54331, 52660, 51039, 49469, 47947, 46472, 45042,
    43656, 42313, 41011, 39750, 38527, 37341, 36192, 35079, 34000, 32954, 31940, 30957, 30005,
    29081, 28187, 27319, 26479, 25664, 24875, 24109, 23368, 22649, 21952, 21276, 20622, 19987,
    19372, 18776, 18199, 17639, 17096, 16570, 16060, 15566, 15087, 14623, 14173, 13737, 13314,
    12905, 12508, 12123, 11750, 11388, 11038, 10698, 10369, 10050, 9741,  9441,  9151,  8869};

/* How full the queue is, Q16: 0 at the shortest round trip, 1 at the longest; 0 while both are
 * equal. */
static inline __u32 libra_beta(__u32 rtt_us, __u32 min_rtt_us, __u32 max_rtt_us) {
  if (rtt_us <= min_rtt_us || max_rtt_us <= min_rtt_us) return 0;
  if (rtt_us >= max_rtt_us) return LIBRA_ONE;
  const __u64 queueing = rtt_us - min_rtt_us;
  return (queueing << 16) / (max_rtt_us - min_rtt_us);
}

/* exp(-2 * beta), both Q16. */
static inline __u32 libra_decay(__u32 beta) {
  if (beta >= LIBRA_ONE) return libra_decay_table[64];
  __u32 index = beta >> 10;
  /* Without this barrier the compiler removes the mask, which the kernel's verifier needs. */
  __asm__("" : "+r"(index));
  index &= 63;
  const __u32 drop = libra_decay_table[index] - libra_decay_table[index + 1];
  return libra_decay_table[index] - (drop * (beta & 1023) >> 10);
}

/* The capacity to assume without a hint, from the highest measured one; bytes/s. A flow that joins
 * a full link measures at most its own share, and growth in proportion to that share would keep it
 * there for good. */
static inline __u64 libra_capacity(__u64 measured) {
  return measured < LIBRA_MIN_CAPACITY ? LIBRA_MIN_CAPACITY : measured;
}

/* Growth of the window in one round trip, in segments, Q20. `capacity` in bytes/s. */
static inline __u64 libra_growth(__u64 capacity, __u32 rtt_us, __u32 beta) {
  if (capacity > LIBRA_MAX_CAPACITY) capacity = LIBRA_MAX_CAPACITY;
  if (rtt_us > LIBRA_MAX_RTT_US) rtt_us = LIBRA_MAX_RTT_US;
  const __u64 alpha = ((2 * capacity << 10) / LIBRA_CAPACITY_UNIT) * libra_decay(beta) >> 16;
  __u64 rtt_term = rtt_us;
  rtt_term = (rtt_term * rtt_term << 10) / (rtt_us + LIBRA_SECOND_US);
  return alpha * rtt_term / LIBRA_SECOND_US;
}

/* The window after a loss, in segments: at least 2, like ssthresh in RFC 5681, 3.1. */
static inline __u32 libra_window_after_loss(__u32 window, __u32 rtt_us) {
  const __u64 whole = window;
  const __u64 cut = whole * LIBRA_SECOND_US / (2 * (rtt_us + LIBRA_SECOND_US));
  const __u64 left = whole - cut;
  return left < 2 ? 2 : left;
}
