#include "app/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "app/config/config_check.h"
#include "app/config/config_files.h"
#include "app/config/config_keys.h"
#include "app/config/config_reader.h"
#include "app/config/config_text.h"
#include "app/config/config_toml.h"
#include "app/config/secret_store.h"
#include "base/log_line.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_hints.h"
#include "transcoder/secrets.h"

namespace app {

namespace {

template <typename T>
std::vector<T> built_in(std::initializer_list<std::string_view> texts) {
  std::vector<T> out;
  for (const auto text : texts) out.push_back(*T::parse(text));
  return out;
}

/// Everything but the stream.
Config daemon_defaults() {
  Config config;
  config.server.listen = built_in<server::Endpoint>({"[::]:8080"});
  config.server.cors_allow = built_in<server::Origin>({"*"});
  config.server.admin_allow = built_in<server::Network>({"127.0.0.0/8", "::1/128"});
  return config;
}

/// `section.key = value`, as the file would say it.
Value::Table setting(const std::string& section, const std::string& key, Value value) {
  const auto place = value.place;
  return {{section, place, {Value::Table{{key, place, std::move(value)}}, place}}};
}

/// Builds a configuration in the order of precedence: built-in, file, command line.
class Loader {
 public:
  Loader(const std::vector<std::string>& offered, SecretStore* secrets)
      : offered_{offered}, reader_{secrets} {}

  /// A later value of a key replaces an earlier one; the streams of all files are joined.
  void read_files(const std::string& path) {
    std::vector<Value::Table> files;
    for (const auto& file : config_files(path)) files.push_back(parse_toml_file(file));
    read(std::move(files));
  }

  void read(std::vector<Value::Table> files) {
    std::vector<Value> streams;
    for (auto& table : files) {
      const auto list = std::ranges::find(table, "stream", &Value::Entry::key);
      if (list != table.end()) {
        streams.push_back(std::move(list->value));
        table.erase(list);
      }
      read_shared(table);
    }
    for (const auto& list : streams) read_streams(list);  // they inherit from all files
  }

  void apply(const Overrides& overrides) {
    apply_shared(overrides);
    for (const auto& source : overrides.sources) apply_source(source);
    if (streams_.empty()) streams_.push_back({defaults_, places_, {}, "built-in stream"});
    for (auto& stream : streams_) apply_to(stream, overrides);
  }

  Config finish() {
    for (auto& stream : streams_) settle_start(stream);
    check_daemon(config_, places_, reader_);
    check_streams(streams_, offered(), reader_);
    if (!reader_.errors().empty()) {
      throw ConfigError{fmt::format("{}", fmt::join(reader_.errors(), "\n"))};
    }
    for (auto& stream : streams_) config_.streams.push_back(std::move(stream.config));
    return std::move(config_);
  }

 private:
  /// Keys outside [[stream]]: the daemon's, and the streams' defaults.
  void read_shared(const Value::Table& table) {
    Scope scope;
    bind(daemon_sections(), config_, scope);
    bind(stream_sections(), defaults_, scope);
    scope.push_back({"stream", [](const Value&) {}});  // known here, and read by read_streams()
    reader_.read(table, scope, places_);
  }

  void read_streams(const Value& streams) {
    const auto* list = std::get_if<Value::List>(&streams.data);
    if (list == nullptr) {
      return reader_.add_error(streams.place, "streams form a list; write [[stream]]");
    }
    for (const auto& item : *list) {
      if (const auto* table = std::get_if<Value::Table>(&item.data)) {
        add_stream(*table, item.place);
      } else {
        reader_.add_error(item.place, "a stream must be a table; write [[stream]]");
      }
    }
  }

  void add_stream(Value::Table table, const std::string& place) {
    auto& stream = streams_.emplace_back(PlacedStream{defaults_, places_, {}, place});
    for (auto& entry : table) {
      // source = "URI" is shorthand for source.uri = "URI".
      if (entry.key == "source" && std::holds_alternative<std::string>(entry.value.data)) {
        entry.value = {Value::Table{{"uri", entry.place, entry.value}}, entry.place};
      }
    }
    read_into(stream, table);
    if (!stream.has("name")) {
      reader_.add_error(place, R"(this stream has no name; add name = "NAME")");
    }
    if (!stream.has("source.uri")) {
      reader_.add_error(place, R"(this stream has no source; add source = "URI")");
    }
  }

  void read_into(PlacedStream& stream, const Value::Table& table) {
    Scope scope;
    bind(identity_sections(), stream.config, scope);
    bind(stream_sections(), stream.config, scope);
    reader_.read(table, scope, stream.own);
  }

  void apply_shared(const Overrides& overrides) {
    if (!overrides.listen.empty()) {
      Value::List list;
      for (const auto& text : overrides.listen) list.push_back({text, "--listen"});
      read_shared(setting("server", "listen", {list, "--listen"}));
    }
    if (const auto& directory = overrides.trace_directory) {
      read_shared(setting("trace", "directory", {*directory, "--trace"}));
    }
    if (const auto& level = overrides.log_level) {
      read_shared(setting("log", "level", {*level, "--log-level"}));
    }
  }

  void apply_source(const std::string& text) {
    const std::string place = "--source";
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      return reader_.add_error(place, fmt::format("\"{}\" is not of the form NAME=URI", text));
    }
    const auto name = text.substr(0, equals);
    if (!named_by_option_.insert(name).second) {
      return reader_.add_error(
          place, fmt::format("two sources are called \"{}\"; choose a different name", name));
    }
    const Value uri{text.substr(equals + 1), place};
    const auto same = [&](const auto& stream) { return stream.config.media.name == name; };
    const auto found = std::ranges::find_if(streams_, same);
    if (found != streams_.end()) {
      read_into(*found, setting("source", "uri", uri));
    } else {
      add_stream({{"name", place, {name, place}}, {"source", place, uri}}, place);
    }
  }

  void apply_to(PlacedStream& stream, const Overrides& overrides) {
    if (const auto& policy = overrides.policy) {
      read_into(stream, setting("control", "policy", {*policy, "--policy"}));
    }
    if (const auto& name = overrides.congestion_control) {
      read_into(stream, setting("tcp", "congestion_control", {*name, "--congestion-control"}));
      auto& rules = stream.config.tcp.networks;
      for (auto& rule : rules) rule.congestion_control.clear();
      std::erase_if(rules, [](const auto& rule) { return rule.initcwnd == 0; });
    }
  }

  /// Clamps the built-in start to min and max; a start that was set stays, and is checked later.
  static void settle_start(PlacedStream& stream) {
    auto& [min, max, start] = stream.config.control.rate;
    if (!stream.has("rate.start") && min <= max) start = std::clamp(start, min, max);
  }

  /// The controls on offer, and "auto"; without our own if kernel.congestion_controls is off.
  std::vector<std::string> offered() const {
    auto names = offered_;
    if (!config_.kernel.congestion_controls) {
      std::erase_if(names, [](const auto& name) { return name.starts_with("sym_"); });
    }
    if (!names.empty()) names.emplace_back(kAutomaticControl);
    return names;
  }

  const std::vector<std::string>& offered_;
  ConfigReader reader_;
  Config config_ = daemon_defaults();
  StreamConfig defaults_;
  Places places_;  ///< of the keys of config_ and defaults_
  std::vector<PlacedStream> streams_;
  std::set<std::string> named_by_option_;  ///< streams with a --source
};

}  // namespace

ConfigError::ConfigError(const std::string& text)
    : std::runtime_error{base::log::printable(transcoder::without_secrets(text))} {}

Config default_config() {
  auto config = daemon_defaults();
  config.streams.emplace_back();
  return config;
}

std::vector<NetworkRule> route_rules(const Config& config) {
  std::vector<NetworkRule> out;
  for (const auto& stream : config.streams) {
    for (const auto& rule : stream.tcp.networks) {
      const bool known = std::ranges::find(out, rule.network, &NetworkRule::network) != out.end();
      if (rule.initcwnd > 0 && !known) out.push_back(rule);
    }
  }
  return out;
}

std::vector<std::string> available_congestion_controls() {
  auto names = tcpinfo::SocketHints{}.available();
  names.insert(names.end(), tcpinfo::kOwnCongestionControls.begin(),
               tcpinfo::kOwnCongestionControls.end());
  return names;
}

Config load_config(const std::string& path, const Overrides& overrides,
                   const std::vector<std::string>& offered) {
  SecretStore secrets{path.empty() ? std::filesystem::path{} : secrets_file(path),
                      overrides.secrets};
  Loader loader{offered, overrides.secrets == Secrets::kNames ? nullptr : &secrets};
  if (!path.empty()) loader.read_files(path);
  loader.apply(overrides);
  return loader.finish();
}

Config load_config_text(std::string_view text, const std::string& path,
                        const std::vector<std::string>& offered) {
  Loader loader{offered, nullptr};
  loader.read({parse_toml(text, path)});
  loader.apply({});
  return loader.finish();
}

}  // namespace app
