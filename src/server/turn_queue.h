#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <unordered_map>

namespace server {

/// Members that take turns with some work, of which there may be too much for one time. Owns none
/// of them. Not thread-safe.
template <typename Member>
class TurnQueue {
 public:
  void insert(Member* member) {
    if (contains(member)) return;
    members_.push_back(member);
    places_.emplace(member, std::prev(members_.end()));
  }
  void erase(Member* member) {
    const auto found = places_.find(member);
    if (found == places_.end()) return;
    members_.erase(found->second);
    places_.erase(found);
  }
  bool contains(Member* member) const { return places_.contains(member); }
  bool empty() const { return members_.empty(); }
  std::size_t size() const { return members_.size(); }

  /// Calls `fn` for at most `most` members, each once at most, the one whose last turn was longest
  /// ago first. Ends when they have cost `budget`: `fn` returns the cost of one. It may erase any.
  template <typename Fn>
  void take_turns(std::size_t most, std::size_t budget, Fn fn) {
    std::size_t spent = 0;
    for (auto left = std::min(most, size()); left > 0 && spent < budget && !empty(); --left) {
      members_.splice(members_.end(), members_, members_.begin());
      spent += fn(*members_.back());
    }
  }

 private:
  std::list<Member*> members_;
  std::unordered_map<Member*, typename std::list<Member*>::iterator> places_;
};

}  // namespace server
