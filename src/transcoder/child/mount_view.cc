#include "transcoder/child/mount_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <list>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "transcoder/child/self_limits.h"

namespace transcoder {

namespace {

namespace fs = std::filesystem;
using base::check;

/// Until it is the root: a folder that every system has, and that no path needs meanwhile.
constexpr const char* kBirthplace = "/proc";

/// Of folders, mount points and symbolic links.
constexpr const char* kSize = "mode=755,size=1m,nr_inodes=8k";

constexpr std::uint64_t kHarmless = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY;

constexpr int kMaxLinks = 40;  // as in path_resolution(7)

void set_attributes(const fs::path& path, std::uint64_t attributes, unsigned flags) {
  mount_attr change{};
  change.attr_set = attributes;
  check("mount_setattr " + path.string(),
        ::mount_setattr(AT_FDCWD, path.c_str(), flags, &change, sizeof change));
}

void write_text(const char* path, const std::string& text) {
  const base::UniqueFd file{check(path, ::open(path, O_WRONLY | O_CLOEXEC))};
  check(path, static_cast<int>(::write(file.get(), text.data(), text.size())));
}

/// With the same user and group as before. The user namespace lends the capabilities for mounting,
/// of which the server has none to give, whatever its user. A process that has them enters one as
/// well, so that there is one way to test, and its mounts are out of its reach afterwards.
void enter_namespaces() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  check("unshare", ::unshare(CLONE_NEWUSER | CLONE_NEWNS));
  try {
    write_text("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
  } catch (const base::SystemError& error) {  // since Linux 5.12
    if (user != 0) throw;
    throw std::runtime_error{error.what() + std::string{" (root would need CAP_SETFCAP)"}};
  }
  write_text("/proc/self/setgroups", "deny");  // or else only a privileged process may map groups
  write_text("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  check("mount / as private", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
}

/// The new root, while the working directory is the old one.
class View {
 public:
  View() {
    check("open /", old_.get());
    check("mount a tmpfs",
          ::mount("tmpfs", kBirthplace, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, kSize));
    check("chdir", ::chdir(kBirthplace));
    // Puts the old root on top of the new one (pivot_root(2)), from where its descriptor reaches
    // it.
    if (::syscall(SYS_pivot_root, ".", ".") != 0) {
      const base::SystemError error{"pivot_root"};
      ::umount2(kBirthplace, MNT_DETACH);
      throw error;
    }
    check("fchdir", ::fchdir(old_.get()));
  }

  ~View() {
    if (finished_) return;
    if (::fchdir(old_.get()) == 0) std::ignore = ::chroot(".");
  }

  View(const View&) = delete;
  View& operator=(const View&) = delete;

  void add(const std::string& path) {
    const auto place = lead_to(path);
    if (!place || is_there(*place)) return;
    if (*place == "/") throw std::runtime_error{path + " is the whole machine"};
    check("mount " + path, ::mount(place->relative_path().c_str(), place->c_str(), nullptr,
                                   MS_BIND | MS_REC, nullptr));
    // As in landlock.cc: /dev/null, cameras, audio devices
    const bool is_device = path.starts_with("/dev/");
    set_attributes(*place, is_device ? MOUNT_ATTR_NOSUID : kHarmless, AT_RECURSIVE);
    mounted_.push_back(*place);
  }

  /// The same place, if it is there. Relative paths of a launch text begin there.
  void finish(const fs::path& working_directory) {
    std::ignore = lead_to(working_directory);
    set_attributes("/", kHarmless, 0);
    check("umount", ::umount2(".", MNT_DETACH));
    finished_ = true;
    if (::chdir(working_directory.c_str()) != 0) check("chdir", ::chdir("/"));
  }

 private:
  bool is_there(const fs::path& place) const {
    return std::ranges::any_of(mounted_, [&](const fs::path& mounted) {
      return std::ranges::mismatch(mounted, place).in1 == mounted.end();
    });
  }

  /// Makes the way to a path, with its symbolic links, and an empty file or folder at its end.
  /// Returns its end without symbolic links; nullopt if the path does not exist for us.
  std::optional<fs::path> lead_to(const fs::path& path) {
    fs::path place = "/";
    std::list<fs::path> rest{path.begin(), path.end()};
    for (int links = 0; !rest.empty();) {
      const auto name = rest.front();
      rest.pop_front();
      if (name.empty() || name == ".") continue;
      const auto next = name == ".." ? place.parent_path() : place / name;
      if (name == ".." || name == "/") {
        place = next;
        continue;
      }
      struct stat status {};
      if (::lstat(next.relative_path().c_str(), &status) != 0) return std::nullopt;
      if (!S_ISLNK(status.st_mode)) {
        make(next, S_ISDIR(status.st_mode));
        place = next;
        continue;
      }
      std::error_code error;
      const auto target = fs::read_symlink(next.relative_path(), error);
      if (error || ++links > kMaxLinks) return std::nullopt;
      if (!is_there(next)) made("symlink", next, ::symlink(target.c_str(), next.c_str()));
      rest.insert(rest.begin(), target.begin(), target.end());
    }
    return place;
  }

  void make(const fs::path& place, bool is_folder) {
    if (is_there(place)) return;
    made("make", place,
         is_folder ? ::mkdir(place.c_str(), 0755) : ::mknod(place.c_str(), S_IFREG | 0444, 0));
  }

  static void made(const char* how, const fs::path& place, int result) {
    if (result != 0 && errno != EEXIST) throw base::SystemError{how + (" " + place.string())};
  }

  const base::UniqueFd old_{::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  std::vector<fs::path> mounted_;
  bool finished_ = false;
};

void show_only(std::span<const std::string> paths) {
  std::error_code error;
  const auto here = fs::current_path(error);
  enter_namespaces();
  try {
    View view;
    for (const auto& path : paths) view.add(path);
    view.finish(error ? fs::path{"/"} : here);
  } catch (...) {
    if (!error) fs::current_path(here, error);
    throw;
  }
}

}  // namespace

std::string see_only(std::span<const std::string> paths) {
  std::string why;
  try {
    show_only(paths);
  } catch (const std::exception& error) {
    why = error.what();
  }
  try {
    give_up_capabilities();
  } catch (const base::SystemError& error) {
    if (why.empty()) why = error.what();
  }
  return why;
}

}  // namespace transcoder
