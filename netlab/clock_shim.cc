// Preloaded into a program (LD_PRELOAD), steps its clocks while it runs, as an administrator, NTP
// or a suspended machine would. $CLOCK_SHIM names a file with three numbers of 64 bits, in
// nanoseconds: the offsets of CLOCK_REALTIME, CLOCK_BOOTTIME and CLOCK_MONOTONIC.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Offsets {
  volatile std::int64_t realtime;
  volatile std::int64_t boottime;
  volatile std::int64_t monotonic;
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
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
      return offsets()->monotonic;
    default:
      return 0;
  }
}

timespec add(const timespec& time, std::int64_t ns) {
  const std::int64_t sum = time.tv_sec * kSecond + time.tv_nsec + ns;
  return {.tv_sec = sum / kSecond, .tv_nsec = sum % kSecond};
}

// Of glibc (nptl/pthread_cond_wait.c): the condition variable waits by CLOCK_MONOTONIC.
constexpr unsigned kWaitsByMonotonic = 2;

}  // namespace

// The names of glibc's functions, which these replace.
extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  *time = add(*time, offset_of(clock));
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

// The kernel waits by its own clocks.

int clock_nanosleep(clockid_t clock, int flags, const timespec* until, timespec* rest) {
  timespec kernels = *until;
  if ((flags & TIMER_ABSTIME) != 0) kernels = add(kernels, -offset_of(clock));
  return syscall(SYS_clock_nanosleep, clock, flags, &kernels, rest) == 0 ? 0 : errno;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  const bool monotonic = (condition->__data.__wrefs & kWaitsByMonotonic) != 0;
  const clockid_t clock = monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  const timespec kernels = add(*until, -offset_of(clock));
  return pthread_cond_clockwait(condition, mutex, clock, &kernels);
}

}  // extern "C"
