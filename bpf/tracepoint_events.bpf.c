/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Congestion events from the kernel's own tracepoints.
 *
 * tcp_cong_state_set (net/ipv4/tcp_cong.c) fires when a connection's congestion state is set, while
 * the old state is still in place:
 *   REXMT   Loss is set by tcp_enter_loss(), at every expiry of the timer, back-offs included. When
 *           the path's MTU fell, tcp_simple_retransmit() sets Loss too, but only from another state
 *           and with undo_marker cleared, because that cannot be undone; this is not counted.
 *           Except in CWR: there undo_marker is 0 anyway, and stays 0 if the timer expires before
 *           the window at the start of CWR is acknowledged, so a fall of the MTU counts as REXMT.
 *   DUPACK  Recovery is set in another state: tcp_enter_recovery(). The other state may be Loss,
 *           when RACK declares segments lost that were retransmitted after a timeout.
 *   CWR     CWR is set in a lower state: tcp_enter_cwr().
 *   UNDO    Recovery or Loss ends and undo_marker is 0: tcp_undo_cwnd_reduction() clears it. (An
 *           undo caused by a late DSACK, after the episode, sets no state and is not seen.)
 * tcp_retransmit_skb fires at every retransmitted segment:
 *   TLP     the state is below Recovery: only tcp_send_loss_probe() retransmits there. (A probe
 *           that carries new data is not a retransmission and is not seen.)
 * tcp_probe fires at every segment received in an established connection, before it is processed:
 *   RTT     the smoothed RTT, up to the segment before, is longer than the limit.
 *
 * Every connection of the machine passes the tracepoints. Those without a watch cost 0.1 µs.
 */
#include "report.h"

static __always_inline u32 ca_state(struct tcp_sock* tp) {
  return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

static __always_inline void report(const struct symcast_watch* watch, struct tcp_sock* tp,
                                   u32 kind) {
  struct symcast_event* event = reserve(watch, kind);
  if (!event) return;
  event->cwnd = tp->snd_cwnd;
  event->ssthresh = tp->snd_ssthresh;
  event->srtt_us = tp->srtt_us >> 3;
  event->sacked = tp->sacked_out;
  event->lost = tp->lost_out;
  bpf_ringbuf_submit(event, 0);
}

SEC("tp_btf/tcp_cong_state_set")
int BPF_PROG(on_state, struct sock* sk, u8 new_state) {
  struct symcast_watch* watch = bpf_sk_storage_get(&watches, sk, NULL, 0);
  if (!watch) return 0;
  struct tcp_sock* tp = bpf_skc_to_tcp_sock(sk);
  if (!tp) return 0;
  const u32 old_state = ca_state(tp);
  const bool undoable = tp->undo_marker != 0;
  if (new_state == TCP_CA_Loss) {
    const bool expired = undoable || old_state == TCP_CA_CWR || old_state == TCP_CA_Loss;
    if (expired) report(watch, tp, SYMCAST_REXMT);
    watch->undoable = undoable;
  } else if (new_state == TCP_CA_Recovery) {
    if (old_state != TCP_CA_Recovery) report(watch, tp, SYMCAST_DUPACK);
    watch->undoable = undoable;
  } else {
    if (old_state >= TCP_CA_Recovery && watch->undoable && !undoable) {
      report(watch, tp, SYMCAST_UNDO);
    }
    watch->undoable = 0;
    if (new_state == TCP_CA_CWR && old_state < TCP_CA_CWR) report(watch, tp, SYMCAST_CWR);
  }
  return 0;
}

/* The remaining arguments differ between kernels and are not read. */
SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_retransmit, struct sock* sk) {
  struct symcast_watch* watch = bpf_sk_storage_get(&watches, sk, NULL, 0);
  if (!watch) return 0;
  struct tcp_sock* tp = bpf_skc_to_tcp_sock(sk);
  if (tp && ca_state(tp) < TCP_CA_Recovery) report(watch, tp, SYMCAST_TLP);
  return 0;
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(on_segment, struct sock* sk) {
  u32* limit = bpf_sk_storage_get(&rtt_limits, sk, NULL, 0);
  if (!limit) return 0;
  struct tcp_sock* tp = bpf_skc_to_tcp_sock(sk);
  if (!tp || !rtt_exceeds(limit, tp->srtt_us)) return 0;
  struct symcast_watch* watch = bpf_sk_storage_get(&watches, sk, NULL, 0);
  if (watch) report(watch, tp, SYMCAST_RTT);
  return 0;
}
