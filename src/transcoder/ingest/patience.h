#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// How long a connection may go without pictures:
///
///                              we connect                          a sender connects
///   no picture yet, no data    silence_timeout, but 10 s at least  for ever
///   no picture yet, but data   the same, but 65 s at least         for ever
///   it has played              silence_timeout                     silence_timeout
///
/// No I/O, no clock.
class Patience {
 public:
  /// Signs of life of one connection.
  struct Life {
    base::Time picture{};  ///< delivered last, or the start of the connection
    base::Time data{};     ///< arrived last, if the source reports that
    bool played = false;   ///< a picture was delivered
  };

  /// `waits_for_sender`: the source listens.
  Patience(base::Duration silence_timeout, bool waits_for_sender)
      : timeout_{silence_timeout}, waits_for_sender_{waits_for_sender} {}

  /// If the time is over: how long there was no picture.
  std::optional<base::Duration> exhausted(const Life& life, base::Time now) const;

  /// Whether the other end has let us wait for its first data for longer than usual.
  bool lacks_data(const Life& life, base::Time now) const;

 private:
  const base::Duration timeout_;
  const bool waits_for_sender_;
};

}  // namespace transcoder
