#include "server/response_writer.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace server {

namespace {

constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::string_view kCrlfLastChunk = "\r\n0\r\n\r\n";

void append_chunk_header(std::string& out, std::size_t size) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  out.append(digits.data(), end);
  out.append(kCrlf);
}

/// Collects `count` bytes of those added, after skipping the first `skip`.
class Gatherer {
 public:
  Gatherer(ResponseWriter::Pieces& memory, std::size_t skip, std::size_t count)
      : memory_{memory}, skip_{skip}, left_{count} {}

  void add(const void* data, std::size_t size) {
    if (skip_ >= size) {
      skip_ -= size;
      return;
    }
    const std::size_t taken = std::min(size - skip_, left_);
    if (taken == 0) return;
    // iovec is also used for reading, so its pointer is not const
    auto* begin = const_cast<char*>(static_cast<const char*>(data));
    memory_[pieces_++] = {begin + skip_, taken};
    skip_ = 0;
    left_ -= taken;
  }

  std::span<iovec> pieces() const { return {memory_.data(), pieces_}; }

 private:
  ResponseWriter::Pieces& memory_;
  std::size_t skip_;
  std::size_t left_;
  std::size_t pieces_ = 0;
};

}  // namespace

ResponseWriter::ResponseWriter(Framing framing, std::string head, std::uint64_t offset,
                               media::Container container)
    : framing_{framing},
      container_{container},
      packager_{make_packager(container)},
      prefix_{std::move(head)},
      size_{prefix_.size()},
      offset_{offset} {}

void ResponseWriter::add(QueuedPacket item) {
  Part part{.packet = {}, .insert = packager_->next(item)};
  part.packet = std::move(item.packet);
  parts_.push_back(std::move(part));
}

void ResponseWriter::seal() {
  if (parts_.empty()) return;
  packager_->complete(parts_);
  std::size_t payload = padding_.size();
  for (const auto& part : parts_) payload += part.insert.bytes.size() + shared_bytes(part).size();
  if (framing_ == Framing::kChunked) {
    append_chunk_header(prefix_, payload);
    suffix_ = kCrlf;
  }
  size_ = prefix_.size() + payload + suffix_.size();
  std::size_t end = prefix_.size();
  for (auto& part : parts_) part.end = end += part.insert.bytes.size() + shared_bytes(part).size();
}

void ResponseWriter::finish() {
  if (framing_ == Framing::kUntilClose) return;
  if (parts_.empty()) {
    prefix_.append(kLastChunk);
    size_ = prefix_.size();
  } else {
    suffix_ = kCrlfLastChunk;
    size_ += kLastChunk.size();
  }
}

std::span<iovec> ResponseWriter::pieces(Pieces& memory) const {
  const std::size_t sent_before = done_ == 0 ? 0 : parts_[done_ - 1].end;
  Gatherer gatherer{memory, sent_ - sent_before, (sent_ < head_ ? head_ : size_) - sent_};
  if (sent_before == 0) gatherer.add(prefix_.data(), prefix_.size());
  for (std::size_t i = done_; i < parts_.size(); ++i) {
    const auto shared = shared_bytes(parts_[i]);
    gatherer.add(parts_[i].insert.bytes.data(), parts_[i].insert.bytes.size());
    gatherer.add(shared.data(), shared.size());
  }
  gatherer.add(padding_.data(), padding_.size());
  gatherer.add(suffix_.data(), suffix_.size());
  return gatherer.pieces();
}

std::span<const std::uint8_t> ResponseWriter::shared_bytes(const Part& part) const {
  return part.packet->in(container_).subspan(part.insert.replaced);
}

void ResponseWriter::reset() {
  prefix_.clear();
  parts_.clear();
  padding_ = {};
  suffix_ = {};
  done_ = sent_ = size_ = head_ = 0;
}

}  // namespace server
