#include "transcoder/child/self_limits.h"

#include <linux/capability.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "base/system_error.h"

namespace transcoder {

namespace {

/// By default a thread's stack takes 8 MB of RLIMIT_DATA, used or not. Decoders need far less.
constexpr std::size_t kStackSize = 1 << 20;  // bytes

/// A source has tens of them.
constexpr rlim_t kMaxDescriptors = 256;

void limit(int resource, rlim_t value) {
  const rlimit both{.rlim_cur = value, .rlim_max = value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);  // lowering it always works
}

}  // namespace

void limit_self(base::ByteCount memory) {
  // If the machine runs out of memory, the kernel ends this process before the server.
  std::ofstream{"/proc/self/oom_score_adj"} << 1000;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, kMaxDescriptors);
  ::signal(SIGXFSZ, SIG_IGN);  // an attempt fails instead
  limit(RLIMIT_FSIZE, 0);
#ifndef SYMCAST_SANITIZED  // which reserves memory for its own
  limit(RLIMIT_DATA, static_cast<rlim_t>(memory.bytes()));
  ::mallopt(M_ARENA_MAX, 2);  // each one takes address space, which counts in full
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackSize);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
#endif
}

void give_up_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  base::check("PR_SET_NO_NEW_PRIVS", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  base::check("capset", static_cast<int>(::syscall(SYS_capset, &header, none.data())));
}

}  // namespace transcoder
