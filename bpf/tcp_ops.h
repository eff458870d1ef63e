/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The parts of a congestion control: the operations that the kernel calls (struct
 * tcp_congestion_ops of include/net/tcp.h, matched by name), the kernel functions that programs may
 * call, and the hint that the server attached to the socket.
 */
#pragma once

#include "dispersion.h"
#include "hint.h"
#include "tcp_core.h"

/* Processes without CAP_NET_ADMIN may select it (include/net/tcp.h). */
#define TCP_CONG_NON_RESTRICTED 1

enum tcp_ca_event { CA_EVENT_TX_START };

struct ack_sample {
  u32 pkts_acked;
};

struct tcp_congestion_ops {
  u32 (*ssthresh)(struct sock* sk);
  void (*cong_avoid)(struct sock* sk, u32 ack, u32 acked);
  void (*set_state)(struct sock* sk, u8 new_state);
  void (*cwnd_event)(struct sock* sk, enum tcp_ca_event event);
  void (*pkts_acked)(struct sock* sk, const struct ack_sample* sample);
  u32 (*undo_cwnd)(struct sock* sk);
  void (*init)(struct sock* sk);
  u32 flags;
  char name[SYMCAST_NAME_MAX];
};

extern u32 tcp_reno_ssthresh(struct sock* sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock* sk, u32 ack, u32 acked) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock* sk) __ksym;
/* Returns the part of `acked` that is left when ssthresh is reached. */
extern u32 tcp_slow_start(struct tcp_sock* tp, u32 acked) __ksym;

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct symcast_hint);
} hints SEC(".maps");

/* The operations receive a struct tcp_sock, which begins with its struct sock. */
static __always_inline struct tcp_sock* tcp_sk(struct sock* sk) { return (struct tcp_sock*)sk; }

static __always_inline struct symcast_hint* hint_of(struct sock* sk) {
  return bpf_sk_storage_get(&hints, sk, NULL, 0);
}

static __always_inline void* private_of(struct tcp_sock* tp) { return tp->inet_conn.icsk_ca_priv; }

static __always_inline void set_cwnd(struct tcp_sock* tp, u32 segments) {
  const u32 limit = tp->snd_cwnd_clamp;
  tp->snd_cwnd = segments < limit ? segments : limit;
}

/* Applies the hint's ssthresh and window. */
static __always_inline void begin(struct sock* sk) {
  struct tcp_sock* tp = tcp_sk(sk);
  const struct symcast_hint* hint = hint_of(sk);
  if (!hint) return;
  if (hint->ssthresh) tp->snd_ssthresh = hint->ssthresh;
  if (hint->cwnd) set_cwnd(tp, hint->cwnd);
}

static __always_inline bool in_slow_start(const struct tcp_sock* tp) {
  return tp->snd_cwnd < tp->snd_ssthresh;
}

/* tcp_is_cwnd_limited() of include/net/tcp.h: an unused window does not grow. */
static __always_inline bool is_cwnd_limited(struct tcp_sock* tp) {
  if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited)) return true;
  return in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline u32 in_flight(const struct tcp_sock* tp) {
  return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static __always_inline u32 smoothed_rtt_us(const struct tcp_sock* tp) { return tp->srtt_us >> 3; }

static __always_inline u32 min_rtt_us(const struct tcp_sock* tp) { return tp->rtt_min.s[0].v; }

/* Call at each acknowledgement. */
static __always_inline void note_dispersion(const struct tcp_sock* tp,
                                            struct dispersion* dispersion, u32 acked) {
  dispersion_note(dispersion, tp->tcp_mstamp, acked, tp->mss_cache, smoothed_rtt_us(tp));
}

/* The hint's capacity, else `measured`, in bytes/s; 0 if unknown. */
static __always_inline u64 capacity_of(struct sock* sk, u64 measured) {
  const struct symcast_hint* hint = hint_of(sk);
  return hint && hint->capacity ? hint->capacity : measured;
}
