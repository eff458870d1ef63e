/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Only the fields of the kernel's TCP that our programs use. libbpf finds their offsets in the
 * running kernel's BTF when it loads a program (CO-RE), so one object works on Linux 6.1 and newer.
 * Names as in include/net/tcp.h, include/linux/tcp.h, include/net/inet_connection_sock.h.
 *
 * Read bit-fields with BPF_CORE_READ_BITFIELD: a plain read silently returns the wrong bit.
 */
#pragma once

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <linux/bpf.h>
#include <stdbool.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* enum tcp_ca_state */
#define TCP_CA_Open 0
#define TCP_CA_Disorder 1
#define TCP_CA_CWR 2
#define TCP_CA_Recovery 3
#define TCP_CA_Loss 4

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
  unsigned long sk_pacing_rate; /* bytes/s */
  u32 sk_pacing_status;         /* enum sk_pacing */
};

struct inet_connection_sock {
  u8 icsk_ca_state : 5;
  u8 icsk_retransmits;
  u64 icsk_ca_priv[104 / sizeof(u64)];
};

struct minmax_sample {
  u32 v;
};

struct minmax {
  struct minmax_sample s[3];
};

struct tcp_sock {
  struct inet_connection_sock inet_conn;
  u64 tcp_mstamp; /* µs; when the newest packet was received or sent */
  u32 srtt_us;    /* µs << 3 */
  u32 snd_cwnd;
  u32 snd_cwnd_cnt;
  u32 snd_cwnd_clamp;
  u32 snd_ssthresh;
  u32 snd_una;
  u32 snd_nxt;
  u32 mss_cache;
  u32 packets_out;
  u32 sacked_out;
  u32 lost_out;
  u32 retrans_out;
  u32 max_packets_out; /* in the last window */
  u32 undo_marker;
  u32 prior_ssthresh;
  struct minmax rtt_min; /* µs; the first sample is the smallest */
  u8 is_cwnd_limited : 1;
};

#pragma clang attribute pop
