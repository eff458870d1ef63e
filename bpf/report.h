/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The maps of both event programs, and their common way to report an event. */
#pragma once

#include "event.h"
#include "tcp_core.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct symcast_watch);
} watches SEC(".maps");

/* Per socket: SYMCAST_RTT is reported once the smoothed RTT, in microseconds, is longer. The
 * program then sets it to 0, which means no limit. */
struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, __u32);
} rtt_limits SEC(".maps");

/* One ring per event loop, so that an event wakes the thread that acts on it. The server creates
 * the rings; 256 KiB hold 5461 events of 40 bytes and a header of 8. */
struct ring {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 256 * 1024);
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, SYMCAST_MAX_RINGS);
  __type(key, u32);
  __array(values, struct ring);
} rings SEC(".maps");

/* Events lost because their ring was full. */
__u64 lost[SYMCAST_MAX_RINGS];

/* Returns a record to fill in and submit, or NULL. */
static __always_inline struct symcast_event* reserve(const struct symcast_watch* watch, u32 kind) {
  u32 ring = watch->ring;
  void* buffer = bpf_map_lookup_elem(&rings, &ring);
  if (!buffer) return NULL;
  struct symcast_event* event = bpf_ringbuf_reserve(buffer, sizeof(*event), 0);
  if (!event) {
    if (ring < SYMCAST_MAX_RINGS) __sync_fetch_and_add(&lost[ring], 1);
    return NULL;
  }
  event->time_ns = bpf_ktime_get_ns();
  event->session = watch->session;
  event->kind = kind;
  return event;
}

/* Whether the RTT of a socket has exceeded its limit for the first time. `srtt_us`: the kernel's,
 * in eighths of a microsecond. */
static __always_inline bool rtt_exceeds(u32* limit, u32 srtt_us) {
  if (!limit || !*limit || srtt_us >> 3 <= *limit) return false;
  *limit = 0;
  return true;
}
