#include "tcpinfo/ebpf/guardian.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <congestion_controls.skel.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "needs.h"
#include "offered.h"
#include "tcpinfo/ebpf/libbpf_log.h"

namespace tcpinfo {
namespace {

/// The object file with sym_vreno called `name`.
std::string file_with(std::string name) {
  std::size_t size = 0;
  const auto* bytes = static_cast<const char*>(congestion_controls::elf_bytes(&size));
  std::string file{bytes, size};
  std::string old{"sym_vreno"};
  old.resize(16);  // the kernel's field
  name.resize(16);
  return file.replace(file.find(old), 16, name);
}

/// Registers sym_vreno as `name` for good, as before Linux 6.4. Returns its map; an empty
/// descriptor with errno if we lack the privileges.
base::UniqueFd register_for_good(const std::string& name) {
  const LibbpfLog log;
  const std::string file = file_with(name);
  bpf_object* object = bpf_object__open_mem(file.data(), file.size(), nullptr);
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const std::string_view kept = bpf_map__name(map);
    bpf_map__set_autocreate(map, kept == "sym_vreno" || !kept.starts_with("sym_"));
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string_view kept = bpf_program__name(program);
    bpf_program__set_autoload(program, kept.starts_with("reno_") || kept == "vreno_init");
  }
  base::UniqueFd fd;
  if (bpf_object__load(object) == 0) {
    map = bpf_object__find_map_by_name(object, "sym_vreno");
    bpf_link* link = bpf_map__attach_struct_ops(map);
    bpf_link__disconnect(link);
    bpf_link__destroy(link);
    fd.reset(::dup(bpf_map__fd(map)));
  }
  const int error = errno;
  bpf_object__close(object);
  errno = error;
  return fd;
}

std::vector<base::UniqueFd> one(base::UniqueFd map) {
  std::vector<base::UniqueFd> maps;
  maps.push_back(std::move(map));
  return maps;
}

class GuardianTest : public testing::Test {
 protected:
  void SetUp() override {
    map_ = register_for_good(name_);
    if (!map_) return end_without({CAP_BPF, CAP_PERFMON}, std::strerror(errno));
    ASSERT_TRUE(is_offered(name_));
  }

  const std::string name_ = "sym_g" + std::to_string(::getpid());
  base::UniqueFd map_;
};

TEST_F(GuardianTest, UnregistersWhenItIsDestroyed) {
  { const Guardian guardian{one(std::move(map_))}; }
  EXPECT_FALSE(is_offered(name_));
}

TEST_F(GuardianTest, UnregistersWhenItsOwnerIsKilled) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // the orphan becomes our child
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const Guardian guardian{one(std::move(map_))};
    const pid_t pid = guardian.pid();
    if (::write(ends[1], &pid, sizeof pid) < 0) ::_exit(1);
    ::pause();
  }
  pid_t guardian = -1;
  ASSERT_EQ(::read(ends[0], &guardian, sizeof guardian), sizeof guardian);
  // Signals that a supervisor and its watchdog send to the whole group.
  for (const int number : {SIGTERM, SIGABRT}) ::kill(guardian, number);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  int status = -1;
  ::waitpid(guardian, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(is_offered(name_));
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace tcpinfo
