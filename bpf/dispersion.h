/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The capacity of a path's narrowest link from the spacing of the acknowledgements: what a packet
 * pair measures (papers 001 and 004), over trains of eight segments, for one pair says little where
 * receivers acknowledge every other segment and the kernel handles acknowledgements in batches.
 *
 *   sample = MSS * (segments acknowledged after the train's first acknowledgement)
 *            / (time from that acknowledgement to the train's last)
 *
 * A pause of half a round trip ends a train. Shorter pauses of the sender lower a sample, batches
 * raise it, so the estimate rises by an eighth towards a sample above it and falls by a sixteenth
 * towards one below: it rests where one sample in three is above.
 *
 * Integers, rounded down. Of one acknowledgement's segments and of MSS no more than 2^16 count, so
 * a train's bytes times 10^6 stay below 2^53 (2^60 if a hundred acknowledgements share one
 * microsecond).
 */
#pragma once

#include <linux/types.h>

#define DISPERSION_TRAIN 8    /* segments */
#define DISPERSION_MAX 65535u /* segments, or bytes of MSS */

struct dispersion {
  __u64 capacity; /* bytes/s; 0: none yet */
  __u64 highest;  /* that it has been */
  __u64 begin_us; /* of the train */
  __u64 last_us;  /* the newest acknowledgement; 0: none yet */
  __u64 segments; /* since the train began */
};

static inline __u64 dispersion_at_most(__u32 value) {
  return value < DISPERSION_MAX ? value : DISPERSION_MAX;
}

static inline __u64 dispersion_towards(__u64 capacity, __u64 sample) {
  if (capacity == 0) return sample;
  if (sample > capacity) {
    const __u64 risen = capacity + (capacity >> 3) + 1;
    return risen < sample ? risen : sample;
  }
  const __u64 fallen = capacity - (capacity >> 4);
  return fallen > sample ? fallen : sample;
}

/* An acknowledgement of `acked` segments at `now_us`, which never goes back. */
static inline void dispersion_note(struct dispersion* d, __u64 now_us, __u32 acked, __u32 mss,
                                   __u32 rtt_us) {
  const int pause = d->last_us == 0 || now_us - d->last_us > rtt_us / 2;
  d->last_us = now_us;
  if (!pause) {
    d->segments += dispersion_at_most(acked);
    if (d->segments < DISPERSION_TRAIN || now_us == d->begin_us) return;
    const __u64 bytes = d->segments * dispersion_at_most(mss);
    d->capacity = dispersion_towards(d->capacity, bytes * 1000000 / (now_us - d->begin_us));
    if (d->capacity > d->highest) d->highest = d->capacity;
  }
  d->begin_us = now_us;
  d->segments = 0;
}
