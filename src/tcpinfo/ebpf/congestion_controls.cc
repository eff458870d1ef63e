#include "tcpinfo/ebpf/congestion_controls.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <congestion_controls.skel.h>
#include <fcntl.h>
#include <linux/capability.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "bpf/hint.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/ebpf/guardian.h"
#include "tcpinfo/ebpf/libbpf_log.h"

namespace tcpinfo {

namespace {

// Of include/uapi/linux/bpf.h, Linux 6.4; Debian 12's header is older.
constexpr std::uint32_t kMapFlagLink = 1u << 13;                     // BPF_F_LINK
constexpr auto kAttachStructOps = static_cast<bpf_attach_type>(44);  // BPF_STRUCT_OPS

/// Servers per machine that can have our congestion controls at once. An attempt takes 0.1 s, so a
/// higher limit delays the start where many names are in use.
constexpr int kMaxServers = 9;

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, CloseObject>;

/// `number`: 1 to kMaxServers.
std::string suffix_of(int number) {
  return number == 1 ? "" : std::string{"."} + std::to_string(number);
}

bool is_struct_ops(const bpf_map* map) { return bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS; }

/// The bytes of the kernel's name field.
std::string field(std::string_view name) {
  std::string bytes{name};
  bytes.resize(SYMCAST_NAME_MAX);
  return bytes;
}

/// The object file with each name followed by `suffix`. libbpf 1.1 cannot change the initial value
/// of struct_ops, so the file's bytes are edited: nothing else in it is one of our names, padded
/// with zeros to SYMCAST_NAME_MAX.
std::string object_file(const std::string& suffix) {
  std::size_t size = 0;
  const auto* bytes = static_cast<const char*>(congestion_controls::elf_bytes(&size));
  std::string file{bytes, size};
  const auto rename = [&](std::string_view name) {
    file.replace(file.find(field(name)), SYMCAST_NAME_MAX, field(std::string{name} + suffix));
  };
  rename("sym_poke");
  for (const auto name : kOwnCongestionControls) rename(name);
  return file;
}

void leave_out_cubic(bpf_object* object) {
  bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "sym_vcubic"), false);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string_view name = bpf_program__name(program);
    if (name.starts_with("vcubic_")) bpf_program__set_autoload(program, false);
  }
}

enum class Cubic { kWith, kWithout };

/// Loads without registering. Returns null and sets errno on failure.
Object load_object(const std::string& suffix, Cubic cubic, bool with_links) {
  const std::string file = object_file(suffix);
  Object object{bpf_object__open_mem(file.data(), file.size(), nullptr)};
  if (!object) return nullptr;
  if (cubic == Cubic::kWithout) leave_out_cubic(object.get());
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object.get()) {
    if (with_links && is_struct_ops(map)) bpf_map__set_map_flags(map, kMapFlagLink);
  }
  if (const int error = bpf_object__load(object.get())) {
    errno = -error;
    return nullptr;
  }
  return object;
}

/// Loads with links if the kernel can: before Linux 6.4 it rejects their flag.
Object load_best(const std::string& suffix, Cubic cubic, bool& with_links) {
  Object object = load_object(suffix, cubic, with_links = true);
  if (!object && errno == EINVAL) object = load_object(suffix, cubic, with_links = false);
  return object;
}

std::vector<bpf_map*> struct_ops_of(bpf_object* object) {
  std::vector<bpf_map*> maps;
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    if (is_struct_ops(map) && bpf_map__autocreate(map)) maps.push_back(map);
  }
  return maps;
}

base::UniqueFd duplicate(const bpf_map* map) {
  return base::UniqueFd{::fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0)};
}

class Registered final : public CongestionControls {
 public:
  const OwnControls& own() const override { return own_; }

  /// Registers all with the suffix of `number`. Returns 0 or errno: EEXIST if another server has
  /// these names.
  int enter(int number) {
    own_.suffix = suffix_of(number);
    bool with_links = true;
    Object object = load_best(own_.suffix, Cubic::kWith, with_links);
    // The kernel may be built without Cubic, or not let programs call it.
    if (!object) object = load_best(own_.suffix, Cubic::kWithout, with_links);
    if (!object) return errno;
    const auto maps = struct_ops_of(object.get());
    if (!with_links) guard(maps);
    for (auto* map : maps) {
      if (const int error = enter(map, with_links)) return error;
    }
    hints_ = duplicate(bpf_object__find_map_by_name(object.get(), "hints"));
    own_.hints = hints_.get();
    return hints_ ? 0 : errno;
  }

 private:
  void guard(const std::vector<bpf_map*>& maps) {
    std::vector<base::UniqueFd> guarded;
    for (const auto* map : maps) guarded.push_back(duplicate(map));
    guardian_ = std::make_unique<Guardian>(std::move(guarded));
  }

  int enter(bpf_map* map, bool with_link) {
    bpf_link* link = bpf_map__attach_struct_ops(map);
    if (!link) return errno;
    // libbpf 1.1 only fills in the map, which by itself registers maps without BPF_F_LINK, and
    // returns the map's descriptor. Later versions also create the link and return its descriptor.
    const int fd = bpf_link__fd(link);
    if (with_link) {
      links_.emplace_back(fd == bpf_map__fd(map) ? bpf_link_create(fd, 0, kAttachStructOps, nullptr)
                                                 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    const int error = with_link && !links_.back() ? errno : 0;
    if (fd == bpf_map__fd(map)) bpf_link__disconnect(link);  // destroying it would unregister
    bpf_link__destroy(link);
    if (error == 0 && bpf_map__name(map) != std::string_view{"sym_poke"}) {
      own_.names.emplace_back(bpf_map__name(map));
    }
    return error;
  }

  OwnControls own_;
  base::UniqueFd hints_;
  std::vector<base::UniqueFd> links_;   // Linux 6.4 and later: closing a link unregisters
  std::unique_ptr<Guardian> guardian_;  // before Linux 6.4
};

}  // namespace

base::Result<std::unique_ptr<CongestionControls>> CongestionControls::load() {
  const LibbpfLog log;
  for (int number = 1; number <= kMaxServers; ++number) {
    auto registered = std::make_unique<Registered>();
    const int error = registered->enter(number);
    if (error == 0) return std::unique_ptr<CongestionControls>{std::move(registered)};
    if (error != EEXIST) {
      return base::Error{log.explain(error, {CAP_BPF, CAP_PERFMON})};
    }
  }
  return base::Error{
      "all names from sym_poke to sym_poke.9 are in use; remove those that killed servers left "
      "behind with `bpftool struct_ops unregister name NAME`"};
}

}  // namespace tcpinfo
