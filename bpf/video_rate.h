/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The window that carries a video's rate: VideoRateSsthresh and VideoRateStart of Watanabe et al.
 * 2013, section V ("cwnd/rtt close to the video average playback rate").
 *
 *   window = max(4, rate * RTT / MSS + 1)     rate in bytes/s, RTT in s, MSS in bytes
 *
 * The 1 rounds up. Fast retransmit needs at least 4 segments: one lost and three that trigger
 * duplicate acknowledgements (RFC 5681, 3.2).
 *
 * Integers: floor(floor(rate * RTT_us / 10^6) / MSS) = floor(rate * RTT / MSS), exact. Up to the
 * limits below the product is less than 2^34 * 2^23 = 2^57, and with the kernel's smallest MSS of
 * 48 bytes the window is less than 3.1 * 10^9. Larger arguments are capped at the limit.
 */
#pragma once

#include <linux/types.h>

#define VIDEO_RATE_MIN_WINDOW 4
#define VIDEO_RATE_MAX_RATE (1ull << 34) /* 137 Gbit/s */
#define VIDEO_RATE_MAX_RTT_US (1u << 23) /* 8.4 s */
#define VIDEO_RATE_MIN_MSS 48            /* TCP_MIN_SND_MSS, include/net/tcp.h */

/* The window in segments, at least 4. */
static inline __u32 video_rate_window(__u64 bytes_per_second, __u32 rtt_us, __u32 mss) {
  if (bytes_per_second > VIDEO_RATE_MAX_RATE) bytes_per_second = VIDEO_RATE_MAX_RATE;
  if (rtt_us > VIDEO_RATE_MAX_RTT_US) rtt_us = VIDEO_RATE_MAX_RTT_US;
  if (mss < VIDEO_RATE_MIN_MSS) mss = VIDEO_RATE_MIN_MSS;
  const __u64 window = bytes_per_second * rtt_us / 1000000 / mss + 1;
  return window < VIDEO_RATE_MIN_WINDOW ? VIDEO_RATE_MIN_WINDOW : window;
}
