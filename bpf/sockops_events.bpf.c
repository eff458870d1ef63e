/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Congestion events from the socket operations of a control group (BPF_PROG_TYPE_SOCK_OPS), for
 * machines that grant CAP_NET_ADMIN but not CAP_PERFMON. Covers connections of that group only.
 *
 *   REXMT   RTO_CB: called at every expiry of the retransmission timer, before the window shrinks.
 *   DUPACK  RETRANS_CB: called at every retransmitted segment. It begins an episode when
 *           - segments are known to be lost,
 *           - segments after them arrived (with tcp_simple_retransmit(), after the path's MTU fell,
 *             none may have), and
 *           - everything in flight in the last episode (RFC 6675's RecoveryPoint,
 *             tcp_sock::high_seq) is acknowledged.
 *   TLP     RETRANS_CB while no segment is known to be lost.
 *   RTT     RTT_CB: called at each measurement of the RTT, after which the smoothed one is longer
 *           than the limit.
 * CWR and UNDO cannot be seen here.
 */
#include "report.h"

static __always_inline void report(const struct symcast_watch* watch, struct bpf_sock_ops* ops,
                                   u32 kind) {
  struct symcast_event* event = reserve(watch, kind);
  if (!event) return;
  event->cwnd = ops->snd_cwnd;
  event->ssthresh = ops->snd_ssthresh;
  event->srtt_us = ops->srtt_us >> 3;
  event->sacked = ops->sacked_out;
  event->lost = ops->lost_out;
  bpf_ringbuf_submit(event, 0);
}

static __always_inline void begin_episode(struct symcast_watch* watch, struct bpf_sock_ops* ops) {
  watch->recover = ops->snd_nxt;
  watch->has_recover = 1;
}

/* Sequence numbers wrap: RFC 9293, 3.4. */
static __always_inline bool in_episode(const struct symcast_watch* watch,
                                       struct bpf_sock_ops* ops) {
  return watch->has_recover && (s32)(ops->snd_una - watch->recover) < 0;
}

SEC("sockops")
int on_socket(struct bpf_sock_ops* ops) {
  if (ops->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
    /* The server has not accepted this socket yet and chooses later whether to watch it. */
    const int ours =
        BPF_SOCK_OPS_RTO_CB_FLAG | BPF_SOCK_OPS_RETRANS_CB_FLAG | BPF_SOCK_OPS_RTT_CB_FLAG;
    bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | ours); /* keeps others' flags */
    return 1;
  }
  const bool rtt = ops->op == BPF_SOCK_OPS_RTT_CB;
  if (!rtt && ops->op != BPF_SOCK_OPS_RTO_CB && ops->op != BPF_SOCK_OPS_RETRANS_CB) return 1;
  struct bpf_sock* sk = ops->sk;
  if (!sk) return 1;
  if (rtt && !rtt_exceeds(bpf_sk_storage_get(&rtt_limits, sk, NULL, 0), ops->srtt_us)) return 1;
  struct symcast_watch* watch = bpf_sk_storage_get(&watches, sk, NULL, 0);
  if (!watch) return 1;
  if (rtt) {
    report(watch, ops, SYMCAST_RTT);
  } else if (ops->op == BPF_SOCK_OPS_RTO_CB) {
    report(watch, ops, SYMCAST_REXMT);
    begin_episode(watch, ops);
  } else if (ops->lost_out == 0) {
    report(watch, ops, SYMCAST_TLP);
  } else if (ops->sacked_out > 0 && !in_episode(watch, ops)) {
    report(watch, ops, SYMCAST_DUPACK);
    begin_episode(watch, ops);
  }
  return 1;
}
