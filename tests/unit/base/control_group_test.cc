#include "base/control_group.h"

#include <gtest/gtest.h>

#include <sstream>

namespace base {
namespace {

std::string mount_point_in(const std::string& text, std::string_view type,
                           std::string_view option = {}) {
  std::istringstream mountinfo{text};
  return mount_point(mountinfo, type, option);
}

constexpr const char* kMounts =
    "24 29 0:22 / /proc rw,relatime shared:5 - proc proc rw\n"
    "31 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
    "35 24 0:30 / /sys/fs/cgroup/cpu rw shared:15 - cgroup cgroup rw,cpu,cpuacct\n"
    "36 24 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

TEST(ControlGroupTest, FindsTheMountPointOfAType) {
  EXPECT_EQ(mount_point_in(kMounts, "cgroup2"), "/sys/fs/cgroup");
  EXPECT_EQ(mount_point_in(kMounts, "cgroup", "memory"), "/sys/fs/cgroup/memory");
  EXPECT_EQ(mount_point_in(kMounts, "cgroup", "cpuset"), "");
  EXPECT_EQ(mount_point_in("", "cgroup2"), "");
}

TEST(ControlGroupTest, AMountPointMayHaveABlank) {
  EXPECT_EQ(mount_point_in("31 24 0:26 / /srv/a\\040b\\134 rw - cgroup2 cgroup2 rw\n", "cgroup2"),
            "/srv/a b\\");
  EXPECT_EQ(mount_point_in("31 24 0:26 / /a\\9\\04 rw - cgroup2 cgroup2 rw\n", "cgroup2"),
            "/a\\9\\04");
}

}  // namespace
}  // namespace base
