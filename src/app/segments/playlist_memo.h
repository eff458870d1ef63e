#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "segments/target.h"
#include "server/output_queue.h"

namespace app {

/// A session's last playlist, for clients that ask for the same one again and again: making it
/// takes a hundred times as long as sending it. A player asks once for each. So the text is kept
/// only from the second time on, and not for long: 10,000 of them would take 80 MB. Thread-safe.
class PlaylistMemo {
 public:
  /// All that the text depends on.
  struct Key {
    segments::Rendition rendition;
    segments::Rendition playing;
    bool player_chooses = false;
    std::uint64_t revision = 0;  ///< SegmentStore::revision
    std::string query;
    bool operator==(const Key&) const = default;
  };
  /// How far the playlist has come.
  struct Extent {
    struct End {
      std::uint64_t number = 0;  ///< of a segment
      std::size_t parts = 0;
    };
    std::size_t complete = 0;   ///< segments
    End newest{};               ///< of these
    std::optional<End> open{};  ///< being made
  };
  struct Playlist {
    Extent extent;
    server::SharedBytes text;
  };

  // Longer queries are in each of sixty URLs, and take too much memory.
  static constexpr std::size_t kMaxKeptQuery = 256;

  std::optional<Playlist> find(const Key& key) const {
    std::lock_guard lock{mutex_};
    return key == asked_ ? made_ : std::nullopt;
  }
  /// A playlist has been made. It is kept if it was the last one, too.
  void made(Key key, Playlist playlist) {
    if (key.query.size() > kMaxKeptQuery) return;
    std::lock_guard lock{mutex_};
    if (key == asked_) {
      made_ = std::move(playlist);
    } else {
      asked_ = std::move(key);
      made_.reset();
    }
  }
  /// Call regularly. `revision`: the present one.
  void forget_old(std::uint64_t revision) {
    std::lock_guard lock{mutex_};
    if (asked_ && asked_->revision != revision) made_.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Key> asked_;      // GUARDED_BY(mutex_)
  std::optional<Playlist> made_;  // GUARDED_BY(mutex_)
};

}  // namespace app
