/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Our congestion controls (BPF_PROG_TYPE_STRUCT_OPS):
 *   sym_poke     sets ssthresh, window and minimum RTO of a connection from its hint, then selects
 *                the congestion control that the hint names
 *   sym_vreno    Reno with VideoRateSsthresh (video_rate.h)
 *   sym_vcubic   Cubic with VideoRateSsthresh
 *   sym_libra    TCP Libra
 *   sym_ccp...   CCP with four kinds of slow start, and CCPD
 * The server may rename them when it loads them, because names are machine-wide.
 */
#include "tcp_ops.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define SOL_TCP 6
#define TCP_CONGESTION 13

/* Weak: a kernel may be built without Cubic. */
extern void cubictcp_init(struct sock* sk) __ksym __weak;
extern u32 cubictcp_recalc_ssthresh(struct sock* sk) __ksym __weak;
extern void cubictcp_cong_avoid(struct sock* sk, u32 ack, u32 acked) __ksym __weak;
extern void cubictcp_state(struct sock* sk, u8 new_state) __ksym __weak;
extern void cubictcp_cwnd_event(struct sock* sk, enum tcp_ca_event event) __ksym __weak;
extern void cubictcp_acked(struct sock* sk, const struct ack_sample* sample) __ksym __weak;

SEC("struct_ops/reno_ssthresh")
u32 BPF_PROG(reno_ssthresh, struct sock* sk) { return tcp_reno_ssthresh(sk); }

SEC("struct_ops/reno_cong_avoid")
void BPF_PROG(reno_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/reno_undo_cwnd")
u32 BPF_PROG(reno_undo_cwnd, struct sock* sk) { return tcp_reno_undo_cwnd(sk); }

SEC("struct_ops/vreno_init")
void BPF_PROG(vreno_init, struct sock* sk) { begin(sk); }

/* The kernel lets a congestion control select another from its init (see bpf_dctcp.c of its
 * selftests), whatever net.ipv4.tcp_allowed_congestion_control says. That one's init finds ssthresh
 * and window as set here. If the kernel refuses, sym_poke stays and behaves like Reno. */
SEC("struct_ops/poke_init")
void BPF_PROG(poke_init, struct sock* sk) {
  begin(sk);
  struct symcast_hint* hint = hint_of(sk);
  if (!hint) return;
  s32 rto_min = hint->rto_min;
  if (rto_min && !bpf_setsockopt(sk, SOL_TCP, TCP_BPF_RTO_MIN, &rto_min, sizeof(rto_min))) {
    hint->rto_min = 0;
  }
  if (hint->next[0]) {
    bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, hint->next, sizeof(hint->next));
  }
}

SEC("struct_ops/vcubic_init")
void BPF_PROG(vcubic_init, struct sock* sk) {
  cubictcp_init(sk);
  begin(sk);
}

SEC("struct_ops/vcubic_ssthresh")
u32 BPF_PROG(vcubic_ssthresh, struct sock* sk) { return cubictcp_recalc_ssthresh(sk); }

SEC("struct_ops/vcubic_cong_avoid")
void BPF_PROG(vcubic_cong_avoid, struct sock* sk, u32 ack, u32 acked) {
  cubictcp_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/vcubic_set_state")
void BPF_PROG(vcubic_set_state, struct sock* sk, u8 new_state) { cubictcp_state(sk, new_state); }

SEC("struct_ops/vcubic_cwnd_event")
void BPF_PROG(vcubic_cwnd_event, struct sock* sk, enum tcp_ca_event event) {
  cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops/vcubic_pkts_acked")
void BPF_PROG(vcubic_pkts_acked, struct sock* sk, const struct ack_sample* sample) {
  cubictcp_acked(sk, sample);
}

SEC(".struct_ops")
struct tcp_congestion_ops sym_poke = {
    .init = (void*)poke_init,
    .ssthresh = (void*)reno_ssthresh,
    .cong_avoid = (void*)reno_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_poke",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_vreno = {
    .init = (void*)vreno_init,
    .ssthresh = (void*)reno_ssthresh,
    .cong_avoid = (void*)reno_cong_avoid,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_vreno",
};

SEC(".struct_ops")
struct tcp_congestion_ops sym_vcubic = {
    .init = (void*)vcubic_init,
    .ssthresh = (void*)vcubic_ssthresh,
    .cong_avoid = (void*)vcubic_cong_avoid,
    .set_state = (void*)vcubic_set_state,
    .cwnd_event = (void*)vcubic_cwnd_event,
    .pkts_acked = (void*)vcubic_pkts_acked,
    .undo_cwnd = (void*)reno_undo_cwnd,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = "sym_vcubic",
};

#include "ccp_ops.h"
#include "libra_ops.h"
