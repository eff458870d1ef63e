#include "transcoder/wire/ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/system_error.h"

namespace transcoder::wire {

namespace {

/// The daemon would die of SIGBUS if the child could shrink its memory.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// Linux 6.3; not in Debian 12's headers. Nobody needs to execute it.
constexpr unsigned kNoExecSeal = 0x0008;

base::UniqueFd sealed_memory(std::size_t size) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int fd = ::memfd_create("symcast-pictures", kFlags | kNoExecSeal);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create("symcast-pictures", kFlags);
  base::UniqueFd memory{base::check("memory for the pictures", fd)};
  base::check("size of the memory for the pictures", ::ftruncate(fd, static_cast<off_t>(size)));
  base::check("seals of the memory for the pictures", ::fcntl(fd, F_ADD_SEALS, kSeals));
  return memory;
}

/// The first `size` bytes of a descriptor's memory.
class Mapping {
 public:
  Mapping(int fd, std::size_t size, int protection)
      : size_{size}, begin_{::mmap(nullptr, size, protection, MAP_SHARED, fd, 0)} {
    if (begin_ == MAP_FAILED) throw base::SystemError{"map the memory for the pictures"};
  }
  ~Mapping() { ::munmap(begin_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::uint8_t* begin() const { return static_cast<std::uint8_t*>(begin_); }
  /// The generation at which the daemon released the slot last, in the first page.
  std::atomic_ref<std::uint32_t> released(std::size_t slot) const {
    static_assert(std::atomic_ref<std::uint32_t>::is_always_lock_free);  // works between processes
    static_assert(RingLayout::kMaxSlots * sizeof(std::uint32_t) <= RingLayout::kPage);
    return std::atomic_ref{static_cast<std::uint32_t*>(begin_)[slot]};
  }

 private:
  const std::size_t size_;
  void* const begin_;
};

/// `frame` with its planes in the slot at `slot`; its memory is the caller's to set.
media::Frame placed(media::Frame frame, const std::uint8_t* slot) {
  const auto planes = plane_layout(frame.format.width, frame.format.height);
  for (std::size_t i = 0; i < frame.plane.size(); ++i) frame.plane[i] = slot + planes.offset[i];
  frame.stride = planes.stride;
  return frame;
}

void copy_pixels(const media::Frame& from, std::uint8_t* slot) {
  const auto planes = plane_layout(from.format.width, from.format.height);
  for (std::size_t i = 0; i < from.plane.size(); ++i) {
    const int shift = i == 0 ? 0 : 1;
    const auto width = static_cast<std::size_t>(from.format.width >> shift);
    for (std::ptrdiff_t row = 0; row < from.format.height >> shift; ++row) {
      std::memcpy(slot + planes.offset[i] + row * planes.stride[i],
                  from.plane[i] + row * from.stride[i], width);
    }
  }
}

}  // namespace

struct RingReader::Memory {
  Memory(int fd, const RingLayout& ring_layout)
      : layout{ring_layout},
        pictures{fd, layout.size(), PROT_READ},
        page{fd, RingLayout::kPage, PROT_READ | PROT_WRITE} {}

  /// The child may announce the slot as soon as it sees the generation, so `held` is first.
  void release(std::size_t slot, std::uint32_t generation) {
    held[slot].store(false, std::memory_order_release);
    page.released(slot).store(generation, std::memory_order_release);
  }

  const RingLayout layout;
  const Mapping pictures;
  const Mapping page;  ///< only written, never read
  std::array<std::atomic<bool>, RingLayout::kMaxSlots> held{};
};

RingReader::RingReader(const VideoSettings& limits)
    : fd_{sealed_memory(RingLayout{limits}.size())},
      memory_{std::make_shared<Memory>(fd_.get(), RingLayout{limits})} {}

const RingLayout& RingReader::layout() const { return memory_->layout; }

base::Result<media::Frame> RingReader::take(std::size_t slot, const media::PictureFormat& format) {
  const auto& layout = memory_->layout;
  if (auto objection = layout.objection(slot, format); !objection.empty()) {
    return base::Error{std::move(objection)};
  }
  if (memory_->held[slot].exchange(true, std::memory_order_acquire)) {
    return base::Error{fmt::format("picture: slot {} is in use", slot)};
  }
  const auto* const pixels = memory_->pictures.begin() + layout.slot_offset(slot);
  auto frame = placed({.format = format}, pixels);
  frame.memory = std::shared_ptr<const void>{
      pixels, [memory = memory_, slot, generation = ++generations_[slot]](const void*) {
        memory->release(slot, generation);
      }};
  return frame;
}

struct RingWriter::Memory {
  Memory(int fd, const RingLayout& ring_layout)
      : layout{ring_layout}, mapping{fd, layout.size(), PROT_READ | PROT_WRITE} {
    free.reserve(layout.slots());
    announced.reserve(layout.slots());
    for (auto slot = layout.slots(); slot-- > 0;) free.push_back(slot);
  }

  void collect_released() {
    std::erase_if(announced, [this](std::size_t slot) {
      if (mapping.released(slot).load(std::memory_order_acquire) != generations[slot]) return false;
      free.push_back(slot);
      return true;
    });
  }

  std::uint8_t* pixels(std::size_t slot) const {
    return mapping.begin() + layout.slot_offset(slot);
  }

  const RingLayout layout;
  const Mapping mapping;
  std::vector<std::size_t> free;       ///< the slot that was freed last is at the end
  std::vector<std::size_t> announced;  ///< and not known to be released; the oldest first
  std::array<std::uint32_t, RingLayout::kMaxSlots> generations{};
};

RingWriter::RingWriter(base::UniqueFd fd, const VideoSettings& limits) {
  const RingLayout layout{limits};
  struct stat status {};
  base::check("stat of the memory for the pictures", ::fstat(fd.get(), &status));
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    throw std::runtime_error{"the memory for the pictures is not sealed"};
  }
  if (status.st_size != static_cast<off_t>(layout.size())) {
    throw std::runtime_error{fmt::format("the memory for the pictures has {} bytes instead of {}",
                                         status.st_size, layout.size())};
  }
  memory_ = std::make_shared<Memory>(fd.get(), layout);
}

std::optional<media::Frame> RingWriter::copy(const media::Frame& frame) {
  const auto& format = frame.format;
  if (!memory_->layout.fits(format.width, format.height)) {
    throw std::length_error{fmt::format("a picture of {}x{} is beyond the limits of the stream",
                                        format.width, format.height)};
  }
  memory_->collect_released();
  if (memory_->free.empty()) return std::nullopt;
  const auto slot = memory_->free.back();
  memory_->free.pop_back();
  auto* const pixels = memory_->pixels(slot);
  copy_pixels(frame, pixels);
  auto result = placed(frame, pixels);
  result.memory = std::shared_ptr<const void>{
      pixels, [memory = memory_, slot, generation = memory_->generations[slot]](const void*) {
        if (memory->generations[slot] == generation) memory->free.push_back(slot);
      }};
  return result;
}

std::size_t RingWriter::slot(const media::Frame& frame) const {
  const auto offset = static_cast<std::size_t>(frame.plane[0] - memory_->pixels(0));
  return offset / memory_->layout.slot_size();
}

void RingWriter::announced(const media::Frame& frame) {
  const auto at = slot(frame);
  ++memory_->generations[at];
  memory_->announced.push_back(at);
}

}  // namespace transcoder::wire
