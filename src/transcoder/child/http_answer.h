#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace transcoder {

/// How far the answer to the last request of HTTP has come: souphttpsrc does not say why it could
/// not be read. Thread-safe. No I/O.
class HttpAnswer {
 public:
  /// A connection exists, and a request follows.
  void asked();
  /// Some bytes have come from a socket.
  void received(std::size_t bytes);
  /// The head of the answer is complete.
  void begins();
  /// An interim answer (1xx) has come. Returns why the source has to end, for its operator; an
  /// empty text if it need not.
  std::string interim();

  /// The fault of an answer that cannot be read, for the operator; empty if nothing has come
  /// and nothing was sent.
  std::string problem() const;

 private:
  std::atomic<bool> asked_ = false;
  std::atomic<bool> begun_ = false;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<int> interims_ = 0;
};

}  // namespace transcoder
