/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * sym_libra: TCP Libra (libra.h) in the kernel, with standard slow start.
 *
 * Tmin is the kernel's min_rtt (the smallest sample of five minutes). Tmax is the longest smoothed
 * RTT since slow start, so neither a retransmitted SYN nor a single late acknowledgement makes beta
 * small for good. Without a hint the capacity is libra_capacity() of the highest measured one: the
 * first trains of a connection cross a shared link in one piece, later ones are stretched by other
 * flows' packets.
 * The kernel's pacing stands in for the burstiness control of section 4.1.
 */
#pragma once

#include "libra.h"
#include "tcp_ops.h"

#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

struct libra {
  struct dispersion dispersion;
  u64 grown; /* segments not yet added to the window, times the window, Q20 */
  u32 max_rtt_us;
};

SEC("struct_ops/libra_init")
void BPF_PROG(libra_init, struct sock* sk) {
  if (sk->sk_pacing_status == SK_PACING_NONE) sk->sk_pacing_status = SK_PACING_NEEDED;
  begin(sk);
}

SEC("struct_ops/libra_ssthresh")
u32 BPF_PROG(libra_ssthresh, struct sock* sk) {
  const struct tcp_sock* tp = tcp_sk(sk);
  return libra_window_after_loss(tp->snd_cwnd, smoothed_rtt_us(tp));
}

SEC("struct_ops/libra_cong_avoid")
void BPF_PROG(libra_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  struct tcp_sock* tp = tcp_sk(sk);
  struct libra* libra = private_of(tp);
  note_dispersion(tp, &libra->dispersion, acked);
  if (!is_cwnd_limited(tp)) return;
  if (in_slow_start(tp)) {
    acked = tcp_slow_start(tp, acked);
    if (!acked) return;
  }
  const u32 rtt_us = smoothed_rtt_us(tp);
  if (rtt_us > libra->max_rtt_us) libra->max_rtt_us = rtt_us;
  const u32 beta = libra_beta(rtt_us, min_rtt_us(tp), libra->max_rtt_us);
  const u64 window = tp->snd_cwnd;
  const u64 capacity = capacity_of(sk, libra_capacity(libra->dispersion.highest));
  u64 growth = libra_growth(capacity, rtt_us, beta);
  if (growth > window << 20) growth = window << 20; /* no faster than slow start */
  libra->grown += growth * acked;
  const u64 whole = libra->grown / (window << 20);
  libra->grown -= whole * (window << 20);
  set_cwnd(tp, window + whole);
}

SEC(".struct_ops")
struct tcp_congestion_ops sym_libra = {
    .init = (void*)libra_init,
    .ssthresh = (void*)libra_ssthresh,
    .cong_avoid = (void*)libra_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_libra",
};
