#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>

#include "abr/networks/network_history.h"
#include "base/address.h"
#include "base/units.h"

namespace app {

/// abr::NetworkHistory for all viewers, kept in a file. Thread-safe.
class KnownNetworks {
 public:
  using Start = abr::NetworkHistory::Start;
  struct State {
    std::array<std::size_t, abr::kCongestionControlCount>
        best{};                 ///< networks, by the best control
    std::size_t unknown = 0;    ///< networks in which neither is known well enough
    std::size_t forgotten = 0;  ///< since the start, because there were more than kCapacity
  };

  /// 5 MB of memory and 4 MB of file.
  static constexpr std::size_t kCapacity = 32'768;
  static constexpr base::Duration kSaveInterval = std::chrono::minutes{5};

  /// Reads `file`, if it is there. If the name is empty, nothing is kept.
  explicit KnownNetworks(std::string file);

  /// As in abr::NetworkHistory. `client`: the other end of the TCP connection.
  Start start(const base::Address& client);
  Start best(const base::Address& client) const;
  void add(const base::Address& client, abr::CongestionControl control,
           const abr::Experience::Sum& sum);

  /// Saves from time to time. Call several times per second, from one thread.
  void tick(base::Time now);
  /// Writes the file, if there is one and something has changed. Logs why it cannot.
  void save();
  State state() const;

 private:
  void load();

  const std::string file_;  ///< empty: nothing is kept
  mutable std::mutex mutex_;
  abr::NetworkHistory history_{kCapacity};  // GUARDED_BY(mutex_)
  bool changed_ = false;                    // GUARDED_BY(mutex_)
  base::Time saved_{};                      ///< used by tick()
};

/// The file in `directory`, or, if that is empty, in StateDirectory= of the systemd service; empty
/// without either.
std::string networks_file(const std::string& directory);

}  // namespace app
