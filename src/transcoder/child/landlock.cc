#include "transcoder/child/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/unique_fd.h"

namespace transcoder {

namespace {

// Of linux/landlock.h, whose version in Debian 12 ends with that of Linux 6.1.
constexpr unsigned kCreateVersion = 1U << 0;
constexpr int kRulePathBeneath = 1;

enum Access : std::uint64_t {
  kExecute = 1U << 0,
  kWriteFile = 1U << 1,
  kReadFile = 1U << 2,
  kReadDirectory = 1U << 3,
  kIoctlDevice = 1U << 15,
};

/// The rights to files that each version added, as a mask of all up to it: version 1 has 13, 2
/// moves between folders, 3 truncation, 5 ioctl() of devices.
constexpr std::array<std::uint64_t, 6> kFileRights{
    0, (1U << 13) - 1, (1U << 14) - 1, (1U << 15) - 1, (1U << 15) - 1, (1U << 16) - 1};
constexpr int kScopesVersion = 6;        // since Linux 6.12
constexpr std::uint64_t kScopes = 0b11;  // abstract sockets of others, and signals to them

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

base::Error failed(const char* what) {
  return base::Error{std::string{what} + ": " + std::generic_category().message(errno)};
}

bool allow(int ruleset, const std::string& path, std::uint64_t known) {
  const base::UniqueFd file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return errno == ENOENT || errno == EACCES;
  PathRule rule{.allowed = kExecute | kReadFile, .folder = file.get()};
  if (S_ISDIR(status.st_mode)) rule.allowed |= kReadDirectory;
  // /dev/null, cameras, audio devices
  if (path.starts_with("/dev/")) rule.allowed |= kWriteFile | kIoctlDevice;
  rule.allowed &= known;
  return ::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0) == 0;
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateVersion);
  return static_cast<int>(std::max(version, 0L));
}

base::Result<int> allow_reading_only(std::span<const std::string> paths) {
  const int version = landlock_version();
  if (version == 0) return failed("no Landlock");
  const auto known =
      std::min<std::size_t>(static_cast<std::size_t>(version), kFileRights.size() - 1);
  const Ruleset attributes{.files = kFileRights[known],
                           .scopes = version >= kScopesVersion ? kScopes : 0};
  // An older kernel refuses a structure that has more than it knows.
  const std::size_t size = version >= kScopesVersion ? sizeof attributes : sizeof attributes.files;
  const base::UniqueFd ruleset{
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0))};
  if (!ruleset) return failed("landlock_create_ruleset");
  for (const auto& path : paths) {
    if (!allow(ruleset.get(), path, attributes.files)) return failed(path.c_str());
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("PR_SET_NO_NEW_PRIVS");
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return failed("landlock_restrict_self");
  }
  return version;
}

}  // namespace transcoder
