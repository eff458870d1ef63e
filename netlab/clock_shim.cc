// Preloaded into a server (LD_PRELOAD), steps its clocks while it runs, as an administrator, NTP or
// a suspended machine would. $CLOCK_SHIM names a file with two numbers of 64 bits, in nanoseconds:
// the offsets of CLOCK_REALTIME and of CLOCK_BOOTTIME.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Offsets {
  volatile std::int64_t realtime;
  volatile std::int64_t boottime;
};

const Offsets* offsets() {
  static const Offsets* const kOffsets = [] {
    const char* path = std::getenv("CLOCK_SHIM");
    const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void* const memory = mmap(nullptr, sizeof(Offsets), PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<const Offsets*>(memory);
  }();
  return kOffsets;
}

std::int64_t offset_of(clockid_t clock) {
  if (offsets() == nullptr) return 0;
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return offsets()->realtime;
    case CLOCK_BOOTTIME:
      return offsets()->boottime;
    default:
      return 0;
  }
}

}  // namespace

// The names of glibc's functions, which these replace.
extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  const std::int64_t ns = time->tv_sec * kSecond + time->tv_nsec + offset_of(clock);
  time->tv_sec = ns / kSecond;
  time->tv_nsec = ns % kSecond;
  return 0;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
