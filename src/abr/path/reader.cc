#include "abr/path/reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// bench/slow_readers shows what these values do together. They have not been measured against
// others; tests/sim has no slow reader.

// A player is measured for this long, and twice as long if it is not much too slow. Shorter, the
// pauses of players that read in bursts pass for a slow reader; longer, a slow one loses more
// frames before it is believed.
constexpr base::Duration kSpell = 3s;
// The window of a slow reader opens now and then, for less than this. Longer joins pauses of a
// player that are far apart, shorter finds no reader that takes large pieces.
constexpr base::Duration kMaxOpen = 500ms;
// Share of the stream that a player reads which keeps up. With a larger one a keyframe passes for a
// slow reader, with a smaller one a reader that is a little too slow loses frames for ever.
constexpr double kKeepsUp = 0.9;
// Share below which a player is much too slow. A piece of 400 ms more or less in 3 s is 0.13. A
// larger share takes a player that reads in pieces for a slow one, a smaller one measures more slow
// players for twice as long.
constexpr double kMuchTooSlow = 0.7;
// Share of the stream below which a player is paused. A larger one takes the slowest for paused, a
// smaller one takes a paused player that still fills its buffer for a slow one.
constexpr double kPaused = 0.05;
// A rate holds for this long at first. Longer keeps a player low that was busy for a moment;
// shorter costs frames each time that the rate is too much.
constexpr base::Duration kFirstHold = 30s;
constexpr base::Duration kMaxHold = 10min;
// After the hold the rate grows by this, as often as the interval says. A step that was too much
// fills the player's receive buffer (128 KB at first) before frames are lost; larger steps fill it
// sooner, smaller ones are slower.
constexpr double kGrowth = 1.15;
constexpr base::Duration kGrowthInterval = 5s;
// A rate that has grown to this many times the one that was read limits no more. A larger factor
// keeps a limit that has become irrelevant, a smaller one drops it while the player may still be
// slow: 15 steps, 75 s after the hold.
constexpr double kForgotten = 8;

}  // namespace

void Reader::update(const Observation& o, base::Time now) {
  pass_time(now);
  if (o.receiver_limited) {
    closed_at_ = now;
    if (!spell_) spell_ = Spell{.begin = now, .delivered = o.delivered, .grown_at = now};
  } else if (spell_ && now - closed_at_ > kMaxOpen) {
    spell_.reset();
  }
  const auto before = std::exchange(delivered_, o.delivered);
  if (!spell_) return;
  const bool over =
      o.delivered > before ? grow(o, before, now) : now - spell_->grown_at >= kLongestReaderPause;
  if (over) spell_ = Spell{.begin = now, .delivered = before, .grown_at = now};
}

/// `before`: bytes delivered before now. Returns whether the spell is over.
bool Reader::grow(const Observation& o, base::ByteCount before, base::Time now) {
  const auto pause = now - std::exchange(spell_->grown_at, now);
  spell_->longest_pause = std::max(spell_->longest_pause, pause);
  const auto length = now - spell_->begin;
  const bool piece_begins = 2 * pause >= spell_->longest_pause;
  if (length < kSpell || (!piece_begins && length < 2 * kSpell)) return false;
  return judge(o, base::BitRate::of(before - spell_->delivered, length), length, now);
}

/// Returns whether the spell is over.
bool Reader::judge(const Observation& o, base::BitRate read, base::Duration length,
                   base::Time now) {
  const auto sent = o.transport.wire(o.served);
  if (read >= kKeepsUp * sent || read < kPaused * sent) return true;
  if (read >= kMuchTooSlow * sent && length < 2 * kSpell) return false;
  found(read, now);
  return true;
}

void Reader::found(base::BitRate rate, base::Time now) {
  if (hold_ == base::Duration{}) {
    hold_ = kFirstHold;
  } else if (rate_ > found_) {  // it had grown
    hold_ = std::min(2 * hold_, kMaxHold);
  }
  rate_ = found_ = rate;
  grows_at_ = now + hold_;
}

void Reader::pass_time(base::Time now) {
  if (rate_.bps() == 0 || now < grows_at_) return;
  rate_ = kGrowth * rate_;
  grows_at_ = now + kGrowthInterval;
  if (rate_ > kForgotten * found_) rate_ = {};
}

}  // namespace abr
