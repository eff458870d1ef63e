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

// include/uapi/linux/bpf.h of Linux 6.4; Debian 12's is older.
constexpr std::uint32_t kFlagLink = 1u << 13;                        // BPF_F_LINK
constexpr auto kAttachStructOps = static_cast<bpf_attach_type>(44);  // BPF_STRUCT_OPS

constexpr int kSlots = 9;

template <auto function>
struct Call {
  template <typename T>
  void operator()(T* what) const {
    function(what);
  }
};
using Object = std::unique_ptr<bpf_object, Call<bpf_object__close>>;

std::string suffix_of(int slot) { return slot == 1 ? "" : std::string{"."} + std::to_string(slot); }

bool is_struct_ops(const bpf_map* map) { return bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS; }

/// The name as the kernel's field holds it.
std::string field(std::string_view name) {
  std::string bytes{name};
  bytes.resize(SYMCAST_NAME_MAX);
  return bytes;
}

/// libbpf 1.1 does not let the initial value of struct_ops be changed, so the names are changed in
/// the object file: nothing else there is a name of ours followed by so many zeros.
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

/// Loaded, not registered; null, with errno.
Object load_object(const std::string& suffix, Cubic cubic, bool with_links) {
  const std::string file = object_file(suffix);
  Object object{bpf_object__open_mem(file.data(), file.size(), nullptr)};
  if (!object) return nullptr;
  if (cubic == Cubic::kWithout) leave_out_cubic(object.get());
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object.get()) {
    if (with_links && is_struct_ops(map)) bpf_map__set_map_flags(map, kFlagLink);
  }
  if (const int error = bpf_object__load(object.get())) {
    errno = -error;
    return nullptr;
  }
  return object;
}

/// Loaded as well as this kernel can: before Linux 6.4 it refuses the flag of links.
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

  /// 0, or errno: EEXIST when another server has these names.
  int enter(int slot) {
    own_.suffix = suffix_of(slot);
    bool with_links = true;
    Object object = load_best(own_.suffix, Cubic::kWith, with_links);
    // The kernel may lack Cubic, or not let programs call it.
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
    // libbpf 1.1 fills the map in, which registers what is registered without a link; later ones
    // make the link as well, which is what it stands for then.
    const int fd = bpf_link__fd(link);
    if (with_link) {
      links_.emplace_back(fd == bpf_map__fd(map) ? bpf_link_create(fd, 0, kAttachStructOps, nullptr)
                                                 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    const int error = with_link && !links_.back() ? errno : 0;
    if (fd == bpf_map__fd(map)) bpf_link__disconnect(link);  // its end would unregister
    bpf_link__destroy(link);
    if (error == 0 && bpf_map__name(map) != std::string_view{"sym_poke"}) {
      own_.names.emplace_back(bpf_map__name(map));
    }
    return error;
  }

  OwnControls own_;
  base::UniqueFd hints_;
  std::vector<base::UniqueFd> links_;   // Linux 6.4 and later: closing one unregisters
  std::unique_ptr<Guardian> guardian_;  // before
};

}  // namespace

base::Result<std::unique_ptr<CongestionControls>> CongestionControls::load() {
  const LibbpfLog log;
  for (int slot = 1; slot <= kSlots; ++slot) {
    auto registered = std::make_unique<Registered>();
    const int error = registered->enter(slot);
    if (error == 0) return std::unique_ptr<CongestionControls>{std::move(registered)};
    if (error != EEXIST) {
      return base::Error{log.explain(error, {CAP_BPF, CAP_PERFMON})};
    }
  }
  return base::Error{
      "sym_poke to sym_poke.9 are taken; what servers that were killed left behind goes with "
      "bpftool struct_ops unregister name NAME"};
}

}  // namespace tcpinfo
