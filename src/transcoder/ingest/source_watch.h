#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "transcoder/ingest/ingest_output.h"
#include "transcoder/source.h"

namespace transcoder {

/// Passes the pictures and audio of one connection to the output, and remembers its end. Whether it
/// is alive shows in the output: a picture that arrives is not yet one that is delivered.
/// Thread-safe.
class SourceWatch final : public Source::Listener {
 public:
  struct State {
    bool has_picture = false;
    base::Time alive{};            ///< start of the connection, or end of an announced gap
    std::optional<SourceEnd> end;  ///< once the connection has ended
  };

  /// `wake` is called at the first picture and at the end of the connection.
  SourceWatch(std::shared_ptr<IngestOutput> output, base::Time now, std::function<void()> wake);

  void on_picture(media::Frame picture) override;
  void on_audio(media::Samples samples, base::Time captured) override;
  void on_gap(base::Time until) override;
  void on_unreadable(std::uint64_t count) override;
  void on_dropped(std::uint64_t count) override;
  void on_end(SourceEnd end) override;

  /// From now on nothing is passed on.
  void retire();
  State state() const;

 private:
  const std::shared_ptr<IngestOutput> output_;
  mutable std::mutex mutex_;
  std::function<void()> wake_;  // GUARDED_BY(mutex_); empty once retired
  State state_;                 // GUARDED_BY(mutex_)
};

}  // namespace transcoder
