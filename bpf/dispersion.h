/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Estimates the capacity of a path's narrowest link from the spacing of acknowledgements, as packet
 * pairs do in TCP Libra (libra.h) and CCP (ccp.h), but over trains of eight segments. A single pair
 * says little: receivers acknowledge every other segment, and the kernel handles acknowledgements
 * in batches.
 *
 *   sample = MSS * (segments acknowledged after the train's first acknowledgement)
 *            / (time from the train's first to its last acknowledgement)
 *
 * A pause of half a round trip ends a train. Shorter pauses of the sender lower a sample, and
 * batches raise it. The estimate therefore rises by at most an eighth towards a higher sample and
 * falls by at most a sixteenth towards a lower one: it settles where one sample in three is higher.
 *
 * Integers, rounded down. MSS and the segments of one acknowledgement are capped below 2^16, so a
 * train's bytes times 10^6 stay below 2^53 (2^60 if a hundred acknowledgements share one
 * microsecond).
 */
#pragma once

#include <linux/types.h>

#define DISPERSION_TRAIN_SEGMENTS 8  /* shorter trains are noisier, longer ones rarer */
#define DISPERSION_MAX_FACTOR 65535u /* caps segments per acknowledgement, and bytes of MSS */

struct dispersion {
  __u64 capacity; /* bytes/s; 0 before the first sample */
  __u64 highest;  /* largest capacity so far, bytes/s */
  __u64 begin_us; /* first acknowledgement of the train */
  __u64 last_us;  /* newest acknowledgement; 0 before the first */
  __u64 segments; /* acknowledged since begin_us */
};

static inline __u64 dispersion_at_most(__u32 value) {
  return value < DISPERSION_MAX_FACTOR ? value : DISPERSION_MAX_FACTOR;
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

/* Records an acknowledgement of `acked` segments at `now_us`, which never decreases. */
static inline void dispersion_note(struct dispersion* d, __u64 now_us, __u32 acked, __u32 mss,
                                   __u32 rtt_us) {
  const int pause = d->last_us == 0 || now_us - d->last_us > rtt_us / 2;
  d->last_us = now_us;
  if (!pause) {
    d->segments += dispersion_at_most(acked);
    if (d->segments < DISPERSION_TRAIN_SEGMENTS || now_us == d->begin_us) return;
    const __u64 bytes = d->segments * dispersion_at_most(mss);
    d->capacity = dispersion_towards(d->capacity, bytes * 1000000 / (now_us - d->begin_us));
    if (d->capacity > d->highest) d->highest = d->capacity;
  }
  d->begin_us = now_us;
  d->segments = 0;
}
