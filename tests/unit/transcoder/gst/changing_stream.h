#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "ts_tables.h"

namespace transcoder::test {

inline constexpr std::chrono::milliseconds kPiece{400};
inline constexpr int kPicturesPerPiece = 10;

/// The output of a command.
Bytes output_of(const std::string& command);

/// A transport stream of `pieces` with pictures and audio. Each has other PIDs and a new version of
/// the programme map. ffmpeg makes the media.
Bytes changing_stream(int pieces);

/// Writes into a pipe, as fast as it is read.
class PipeWriter {
 public:
  explicit PipeWriter(Bytes data);
  PipeWriter(const PipeWriter&) = delete;
  PipeWriter& operator=(const PipeWriter&) = delete;
  ~PipeWriter();

  /// A source that reads the pipe.
  std::string uri() const { return "fd://" + std::to_string(ends_[0]); }

 private:
  int ends_[2]{-1, -1};
  std::thread thread_;
};

}  // namespace transcoder::test
