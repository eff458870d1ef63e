#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/segments/encode_turns.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

// Players of some addresses who ask for segments, wait for them or go, and an encoder that takes
// any time for each. The first byte chooses the budget of CPU time; then comes a list of steps: a
// byte with the Step, and for some one with the player.

namespace {

using namespace std::chrono_literals;
using app::EncodeTurns;

enum class Step : std::uint8_t { kAsk, kLeave, kEncode, kWait, kForget, kAskOften };
constexpr unsigned kSteps = 6;
constexpr unsigned kAddresses = 6;
constexpr unsigned kPlayers = 30;
constexpr unsigned kNewcomer = kPlayers;
constexpr base::Duration kHalfLife = 30s;
// No segment costs more; players wait for 4 s.
constexpr base::Duration kMaxCost = 6s;
constexpr double kForgotten = 1e-3;  // seconds; less is forgotten at times
constexpr double kRounding = 1e-6;

unsigned address_of(unsigned player) {
  return player == kNewcomer ? kAddresses : player % kAddresses;
}

EncodeTurns::Asker asker(unsigned player) {
  const auto address = server::Address::parse("192.0.2." + std::to_string(address_of(player)));
  return {server::AddressBlock::largest(*address), player};
}

/// CPU seconds that halve in 30 s, and how far they may be off: a segment is charged by an estimate
/// when it begins, and little is forgotten.
struct Used {
  double seconds = 0;
  double error = 0;
  base::Time at{};

  void pass(base::Time now) {
    const double left = std::exp2(-base::seconds(now - at) / base::seconds(kHalfLife));
    seconds *= left;
    error *= left;
    at = now;
  }
  void forget(base::Time now) {
    pass(now);
    if (seconds < kForgotten + error) error += seconds;
  }
};

class Encoder {
 public:
  explicit Encoder(double cpus) : cpus_{cpus}, turns_{cpus, now_} {}

  void act(Step step, fuzz::Input& input) {
    switch (step) {
      case Step::kAsk:
        ask(input.take<std::uint8_t>() % kPlayers);
        break;
      case Step::kLeave:
        leave(input.take<std::uint8_t>() % kPlayers);
        break;
      case Step::kEncode:
        encode(std::min<base::Duration>(input.take<std::uint16_t>() * 100us, kMaxCost));
        break;
      case Step::kWait:
        pass(input.take<std::uint8_t>() * 10ms);
        break;
      case Step::kForget:
        forget_abandoned();
        break;
      case Step::kAskOften: {
        const auto player = input.take<std::uint8_t>() % kPlayers;
        for (int times = input.take<std::uint8_t>() % 80; times > 0; --times) ask(player);
        break;
      }
    }
    CHECK(waiting_.size() <= EncodeTurns::kMaxWaiting, waiting_.size());
    CHECK(turns_.empty() == waiting_.empty(), waiting_.size());
  }

  /// A player of a new address is not kept waiting by the others.
  void serve_a_newcomer() {
    forget_abandoned();
    while (turns_.until_credit(now_) > base::Duration{}) pass(turns_.until_credit(now_));
    const bool others_are_new = std::ranges::any_of(waiting_, [&](const auto& turn) {
      const auto& used = used_of_address(turn.second.player);
      return used.seconds < kForgotten + used.error;
    });
    if (others_are_new) return;
    ask(kNewcomer);
    CHECK(waiting_.contains(last_), waiting_.size());
    const auto first = turns_.take(now_);
    CHECK(first == last_, first.value_or(0), last_);
    turns_.finish(1ms, now_);
    waiting_.erase(last_);
  }

  /// Nobody waits for ever, and in the end nothing is left.
  void all_go() {
    for (const auto end = now_ + EncodeTurns::kMaxWait; now_ < end;) pass(500ms);
    CHECK(waiting_.empty(), waiting_.size());
    now_ += 1h;
    CHECK(turns_.take_abandoned(now_).empty());
    CHECK(turns_.remembered() == 0, turns_.remembered());
  }

 private:
  struct Turn {
    unsigned player = 0;
    base::Time asked{};
    base::Time renewed{};
  };

  void ask(unsigned player) {
    const auto verdict = turns_.ask(++last_, asker(player), now_);
    CHECK(verdict.accepted || !verdict.displaced);
    if (!verdict.accepted) {
      CHECK(!waiting_.empty() || turns_.until_credit(now_) > base::Duration{}, player);
      return;
    }
    if (verdict.displaced) {
      CHECK(waiting_.size() == EncodeTurns::kMaxWaiting, waiting_.size());
      CHECK(waiting_.erase(*verdict.displaced) == 1, *verdict.displaced);
    }
    waiting_[last_] = {player, now_, now_};
  }

  void leave(unsigned player) { gone_ = player; }

  /// Time passes; all players but one who has gone renew what they wait for.
  void pass(base::Duration time) {
    now_ += time;
    for (auto next = waiting_.begin(); next != waiting_.end();) {
      auto& [id, turn] = *next;
      bool waits = true;
      if (turn.player != gone_) {
        waits = turns_.renew(id, now_);
        CHECK(waits == (now_ - turn.asked < EncodeTurns::kMaxWait), id);
        turn.renewed = now_;
      }
      next = waits ? std::next(next) : waiting_.erase(next);
    }
    if (time >= EncodeTurns::kAbandonedAfter / 4) forget_abandoned();
  }

  void forget_abandoned() {
    for (const auto id : turns_.take_abandoned(now_)) {
      const auto turn = waiting_.find(id);
      CHECK(turn != waiting_.end(), id);
      CHECK(now_ - turn->second.renewed >= EncodeTurns::kAbandonedAfter, id);
      waiting_.erase(turn);
    }
    for (auto& [address, used] : by_address_) used.forget(now_);
    for (auto& [player, used] : by_player_) used.forget(now_);
    for (const auto& [id, turn] : waiting_) {
      CHECK(now_ - turn.renewed < EncodeTurns::kAbandonedAfter, id);
    }
  }

  void encode(base::Duration cost) {
    const bool has_credit = turns_.until_credit(now_) == base::Duration{};
    const auto turn = turns_.take(now_);
    CHECK(turn.has_value() == (has_credit && !waiting_.empty()), waiting_.size());
    if (!turn) return;
    CHECK(credit() > -kRounding, credit());
    const auto taken = waiting_.find(*turn);
    CHECK(taken != waiting_.end(), *turn);
    check_order(*taken);
    const auto player = taken->second.player;
    waiting_.erase(taken);
    now_ += cost;
    credit();
    turns_.finish(cost, now_);
    charge(used_of_address(player), cost);
    charge(used_of_player(player), cost);
    credit_ -= base::seconds(cost);
  }

  /// CPU seconds that may be used now. Little can be saved up.
  double credit() {
    credit_ = std::min(credit_ + cpus_ * base::seconds(now_ - credited_),
                       base::seconds(EncodeTurns::kMaxCredit));
    credited_ = now_;
    return credit_;
  }

  /// The address that has used least comes first, of one address the player, of one player the
  /// first to ask.
  void check_order(const std::pair<const EncodeTurns::Id, Turn>& taken) {
    const auto address = used_of_address(taken.second.player);
    const auto player = used_of_player(taken.second.player);
    for (const auto& [id, turn] : waiting_) {
      const auto other = used_of_address(turn.player);
      CHECK(address.seconds <= other.seconds + address.error + other.error + kRounding, id,
            address.seconds, other.seconds);
      if (address_of(turn.player) != address_of(taken.second.player)) continue;
      const auto others = used_of_player(turn.player);
      CHECK(player.seconds <= others.seconds + player.error + others.error + kRounding, id,
            player.seconds, others.seconds);
      CHECK(turn.player != taken.second.player || taken.first <= id, taken.first, id);
    }
  }

  Used& used_of_address(unsigned player) { return passed(by_address_[address_of(player)]); }
  Used& used_of_player(unsigned player) { return passed(by_player_[player]); }
  Used& passed(Used& used) {
    used.pass(now_);
    return used;
  }
  void charge(Used& used, base::Duration cost) {
    used.seconds += base::seconds(cost);
    // The estimate, which is at most kMaxCost, has faded meanwhile.
    const double faded = 1 - std::exp2(-base::seconds(cost) / base::seconds(kHalfLife));
    used.error += base::seconds(kMaxCost + 1s) * faded;
  }

  static constexpr base::Time kBegin{1h};
  base::Time now_ = kBegin;
  const double cpus_;
  EncodeTurns turns_;
  EncodeTurns::Id last_ = 0;
  std::optional<unsigned> gone_;
  std::map<EncodeTurns::Id, Turn> waiting_;
  std::map<unsigned, Used> by_address_;
  std::map<unsigned, Used> by_player_;
  double credit_ = base::seconds(EncodeTurns::kMaxCredit);
  base::Time credited_ = kBegin;
};

}  // namespace

FUZZ_TARGET(encode_turns) {
  constexpr std::array kBudgets{0.05, 0.2, 1.0, 8.0};
  Encoder encoder{kBudgets[input.take<std::uint8_t>() % kBudgets.size()]};
  for (int steps = 0; !input.empty() && steps < 500; ++steps) {
    encoder.act(static_cast<Step>(input.take<std::uint8_t>() % kSteps), input);
  }
  encoder.serve_a_newcomer();
  encoder.all_go();
}
