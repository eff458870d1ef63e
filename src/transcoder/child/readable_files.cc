#include "transcoder/child/readable_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "transcoder/uri/source_file.h"

namespace transcoder {

namespace {

namespace fs = std::filesystem;

/// For every source. The server resolves names, so nothing for that is here.
constexpr std::array kSystem{
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache",
    // symbolic links, over which Debian chooses some libraries
    "/etc/alternatives",
    // certificates, and policies of the libraries for TLS
    "/etc/ssl", "/etc/pki", "/etc/gnutls", "/etc/crypto-policies", "/etc/ca-certificates",
    // about this machine and this process
    "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"};

/// A launch text may also use cameras, audio devices and TV tuners, and draw text.
constexpr std::array kDevices{"/dev/video0", "/dev/snd", "/dev/dri",  "/dev/dvb",  "/dev/shm",
                              "/run/udev",   "/sys",     "/etc/alsa", "/etc/fonts"};

/// Variables with paths, separated by colons, of libraries and plugins that are elsewhere.
constexpr std::array kPathVariables{"LD_LIBRARY_PATH",
                                    "LD_PRELOAD",
                                    "CLOCK_SHIM",
                                    "GST_PLUGIN_PATH",
                                    "GST_PLUGIN_PATH_1_0",
                                    "GST_PLUGIN_SYSTEM_PATH",
                                    "GST_PLUGIN_SYSTEM_PATH_1_0",
                                    "GST_REGISTRY",
                                    "GST_REGISTRY_1_0"};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// The list of plugins: gst_registry(1) in the user's cache.
std::string plugin_list() {
  const auto cache = variable("XDG_CACHE_HOME");
  return (cache.empty() ? variable("HOME") + "/.cache" : cache) + "/gstreamer-1.0";
}

/// Words between blanks. Those in quotes, which are taken away, may have blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words{{}};
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> paths_in(const std::string& launch_text) {
  constexpr std::string_view kLocation = "location=";
  std::vector<std::string> paths;
  for (auto word : words_of(launch_text)) {
    const bool is_location = word.starts_with(kLocation);
    if (const auto equal = word.find('='); equal != std::string_view::npos)
      word.erase(0, equal + 1);
    if (word.empty()) continue;
    if (is_location) word = fs::absolute(word);
    if (!word.starts_with('/')) continue;
    const bool is_pattern = word.find_first_of("%*?") != std::string_view::npos;
    paths.push_back(is_pattern ? fs::path{word}.parent_path().string() : word);
  }
  return paths;
}

std::vector<std::string> service_folders(const std::string& uri) {
  if (!uri.starts_with("gst:")) return {};
  std::vector<std::string> folders{"/run/pulse", "/run/pipewire"};
  if (auto users = variable("XDG_RUNTIME_DIR"); !users.empty()) folders.push_back(std::move(users));
  return folders;
}

std::vector<std::string> readable_files(const std::string& uri) {
  std::vector<std::string> paths{kSystem.begin(), kSystem.end()};
  paths.push_back(plugin_list());
  for (const char* name : kPathVariables) {
    const auto list = variable(name);
    for (std::size_t begin = 0; begin < list.size();) {
      const auto end = std::min(list.find(':', begin), list.size());
      if (end > begin) paths.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (is_file(uri)) paths.push_back(file_path(uri).string());
  if (uri.starts_with("gst:")) {
    paths.insert(paths.end(), kDevices.begin(), kDevices.end());
    for (auto& path : paths_in(uri)) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace transcoder
