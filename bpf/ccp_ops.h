/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * CCP and CCPD (ccp.h) in the kernel, with the slow starts of Watanabe et al. 2013, section V:
 *   sym_ccp      standard slow start
 *   sym_ccpsss   ShortSlowStart: ends as soon as a capacity is known
 *   sym_ccpvs    VideoRateStart: the window carries the video's rate
 *   sym_ccplss   VideoRateSsthresh: ends at the hint's ssthresh
 *   sym_ccpd     CCPD with standard slow start
 * Slow start ends at ssthresh or at the first loss. A loss does not shrink the window; equation 1
 * does, once the queue has grown. After a retransmission timeout standard slow start leads back to
 * the window before the timeout.
 *
 * Tmin is the kernel's min_rtt (the smallest sample of five minutes); Tmax is the longest smoothed
 * RTT.
 */
#pragma once

#include "ccp.h"
#include "tcp_ops.h"
#include "video_rate.h"

struct ccp {
  struct dispersion dispersion;
  u32 max_rtt_us;
  u32 backlog;      /* newest */
  u32 last_backlog; /* a round trip ago */
  u32 round_end;    /* sequence number */
  u32 started;      /* the kernel has asked for a smaller window once, after a loss or ECN mark */
};

/* Updates the backlog, and once per round trip remembers it as last_backlog. */
static __always_inline void ccp_note_backlog(struct tcp_sock* tp, struct ccp* ccp, u32 ack) {
  if ((s32)(ack - ccp->round_end) > 0) {
    ccp->last_backlog = ccp->backlog;
    ccp->round_end = tp->snd_nxt;
  }
  ccp->backlog = ccp_backlog(tp->snd_cwnd, smoothed_rtt_us(tp), min_rtt_us(tp));
}

/* Returns the capacity. */
static __always_inline u64 ccp_measure(struct sock* sk, u32 ack, u32 acked) {
  struct tcp_sock* tp = tcp_sk(sk);
  struct ccp* ccp = private_of(tp);
  const u32 rtt_us = smoothed_rtt_us(tp);
  if (rtt_us > ccp->max_rtt_us) ccp->max_rtt_us = rtt_us;
  ccp_note_backlog(tp, ccp, ack);
  note_dispersion(tp, &ccp->dispersion, acked);
  return capacity_of(sk, ccp->dispersion.capacity);
}

/* Runs slow start, then equation 1. */
static __always_inline void ccp_control(struct sock* sk, u32 acked, u64 capacity, u32 kd) {
  struct tcp_sock* tp = tcp_sk(sk);
  const struct ccp* ccp = private_of(tp);
  if (in_slow_start(tp) && (!is_cwnd_limited(tp) || tcp_slow_start(tp, acked) == 0)) return;
  if (!capacity || !tp->srtt_us) return; /* known after eight segments */
  const u32 storage = ccp_storage(capacity, min_rtt_us(tp), ccp->max_rtt_us, tp->mss_cache);
  set_cwnd(tp, ccp_window(storage, ccp->backlog, in_flight(tp), kd, ccp->last_backlog));
  if (in_slow_start(tp))
    tp->snd_ssthresh = tp->snd_cwnd; /* a smaller window does not restart slow start */
}

/* Whether the connection is before its first loss. A window below ssthresh alone does not show
 * that: the window is also below it after a timeout, or after a sender has not used it for a while
 * (RFC 7661). */
static __always_inline bool is_starting(struct tcp_sock* tp) {
  const struct ccp* ccp = private_of(tp);
  return !ccp->started && in_slow_start(tp);
}

SEC("struct_ops/ccp_init")
void BPF_PROG(ccp_init, struct sock* sk) {
  struct tcp_sock* tp = tcp_sk(sk);
  struct ccp* ccp = private_of(tp);
  ccp->round_end = tp->snd_nxt;
  begin(sk);
}

SEC("struct_ops/ccp_ssthresh")
u32 BPF_PROG(ccp_ssthresh, struct sock* sk) {
  struct tcp_sock* tp = tcp_sk(sk);
  struct ccp* ccp = private_of(tp);
  const u32 window = tp->snd_cwnd;
  ccp->started = 1;
  return window < CCP_MIN_WINDOW ? CCP_MIN_WINDOW : window;
}

SEC("struct_ops/ccp_cong_avoid")
void BPF_PROG(ccp_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  ccp_control(sk, acked, ccp_measure(sk, ack, acked), 0);
}

SEC("struct_ops/ccpd_cong_avoid")
void BPF_PROG(ccpd_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  ccp_control(sk, acked, ccp_measure(sk, ack, acked), CCP_KD);
}

SEC("struct_ops/ccpsss_cong_avoid")
void BPF_PROG(ccpsss_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  struct tcp_sock* tp = tcp_sk(sk);
  const u64 capacity = ccp_measure(sk, ack, acked);
  if (capacity && is_starting(tp)) tp->snd_ssthresh = tp->snd_cwnd;
  ccp_control(sk, acked, capacity, 0);
}

SEC("struct_ops/ccpvs_cong_avoid")
void BPF_PROG(ccpvs_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  struct tcp_sock* tp = tcp_sk(sk);
  const u64 capacity = ccp_measure(sk, ack, acked);
  const struct symcast_hint* hint = hint_of(sk);
  if (hint && hint->video_rate && is_starting(tp)) {
    set_cwnd(tp, video_rate_window(hint->video_rate, smoothed_rtt_us(tp), tp->mss_cache));
  } else {
    ccp_control(sk, acked, capacity, 0);
  }
}

SEC(".struct_ops")
struct tcp_congestion_ops sym_ccp = {
    .init = (void*)ccp_init,
    .ssthresh = (void*)ccp_ssthresh,
    .cong_avoid = (void*)ccp_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_ccp",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_ccpsss = {
    .init = (void*)ccp_init,
    .ssthresh = (void*)ccp_ssthresh,
    .cong_avoid = (void*)ccpsss_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_ccpsss",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_ccpvs = {
    .init = (void*)ccp_init,
    .ssthresh = (void*)ccp_ssthresh,
    .cong_avoid = (void*)ccpvs_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_ccpvs",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_ccplss = {
    .init = (void*)ccp_init,
    .ssthresh = (void*)ccp_ssthresh,
    .cong_avoid = (void*)ccp_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_ccplss",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_ccpd = {
    .init = (void*)ccp_init,
    .ssthresh = (void*)ccp_ssthresh,
    .cong_avoid = (void*)ccpd_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_ccpd",
};
