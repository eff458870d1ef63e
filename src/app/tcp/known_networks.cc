#include "app/tcp/known_networks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"

namespace app {

namespace {

using abr::CongestionControl;
using abr::NetworkHistory;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::array kControls{CongestionControl::kCubic, CongestionControl::kBbr};

NetworkHistory::Time today() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::size_t index(CongestionControl control) { return static_cast<std::size_t>(control); }

json to_json(const NetworkHistory::Entry& entry) {
  json out{{"network", entry.network.text()},
           {"updated", entry.updated.time_since_epoch().count()},
           {"trial", entry.trial.time_since_epoch().count()}};
  for (const auto control : kControls) {
    const auto& record = entry.records[index(control)];
    if (record.seconds < 1) continue;
    out[abr::name(control)] = {{"seconds", std::round(record.seconds)},
                               {"quality", std::round(1000 * record.quality) / 1000}};
  }
  return out;
}

/// Throws an exception if it is not of that form.
NetworkHistory::Entry from_json(const json& in) {
  const auto network = base::Network::parse(in.at("network").get<std::string>());
  if (!network) throw std::runtime_error{network.error()};
  const auto time = [&](const char* key) {
    return NetworkHistory::Time{std::chrono::seconds{in.at(key).get<std::int64_t>()}};
  };
  NetworkHistory::Entry entry{
      .network = *network, .updated = time("updated"), .trial = time("trial")};
  for (const auto control : kControls) {
    if (!in.contains(abr::name(control))) continue;
    const auto& from = in.at(abr::name(control));
    auto& record = entry.records[index(control)];
    record = {from.at("seconds").get<double>(), from.at("quality").get<double>()};
    if (record.seconds < 0) throw std::runtime_error{"seconds are negative"};
  }
  return entry;
}

/// Writes it whole or not at all. Throws an exception that says why it cannot.
void write(const std::string& file, const json& content) {
  const auto fresh = file + ".new";
  {
    std::ofstream out{fresh, std::ios::binary};
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out << content.dump() << '\n';
    out.close();
  }
  using std::filesystem::perms;  // it says who watches, as traces do
  std::filesystem::permissions(fresh, perms::owner_read | perms::owner_write | perms::group_read);
  std::filesystem::rename(fresh, file);
}

}  // namespace

KnownNetworks::KnownNetworks(std::string file) : file_{std::move(file)} { load(); }

void KnownNetworks::load() {
  std::error_code unknown;  // a file that cannot be looked at is not read: save() says why
  if (file_.empty() || !std::filesystem::exists(file_, unknown)) return;
  try {
    std::ifstream in{file_, std::ios::binary};
    in.exceptions(std::ios::badbit);
    const auto content = json::parse(in);
    if (content.at("version") != kVersion) throw std::runtime_error{"it has another version"};
    NetworkHistory read{kCapacity};
    for (const auto& entry : content.at("networks")) read.restore(from_json(entry));
    history_ = std::move(read);
  } catch (const std::exception& error) {
    base::log::warning("networks_not_read",
                       {{"file", file_},
                        {"error", error.what()},
                        {"hint", "it is replaced within minutes: nothing else depends on it"}});
    return;
  }
  base::log::info("networks_read", {{"file", file_}, {"networks", history_.entries().size()}});
}

KnownNetworks::Start KnownNetworks::start(const base::Address& client) {
  const std::lock_guard lock{mutex_};
  return history_.start(NetworkHistory::network_of(client), today());
}

KnownNetworks::Start KnownNetworks::best(const base::Address& client) const {
  const std::lock_guard lock{mutex_};
  return history_.best(NetworkHistory::network_of(client), today());
}

void KnownNetworks::add(const base::Address& client, CongestionControl control,
                        const abr::Experience::Sum& sum) {
  if (sum.seconds <= 0) return;
  const std::lock_guard lock{mutex_};
  history_.add(NetworkHistory::network_of(client), control, sum, today());
  changed_ = true;
}

void KnownNetworks::tick(base::Time now) {
  if (now - saved_ < kSaveInterval) return;
  saved_ = now;
  save();
}

void KnownNetworks::save() {
  if (file_.empty()) return;
  std::vector<NetworkHistory::Entry> entries;
  {
    const std::lock_guard lock{mutex_};
    if (!std::exchange(changed_, false)) return;
    entries.assign(history_.entries().begin(), history_.entries().end());
  }
  json networks = json::array();
  for (const auto& entry : entries) networks.push_back(to_json(entry));
  try {
    write(file_, {{"version", kVersion}, {"networks", std::move(networks)}});
  } catch (const std::exception& error) {
    base::log::warning("networks_not_written",
                       {{"file", file_},
                        {"error", error.what()},
                        {"hint", "make its directory writable, or set state.directory"}});
  }
}

KnownNetworks::State KnownNetworks::state() const {
  State out;
  const auto now = today();
  const std::lock_guard lock{mutex_};
  for (const auto& entry : history_.entries()) {
    const auto best = NetworkHistory::best_of(entry, now);
    if (best.reason == NetworkHistory::Reason::kUnknown) {
      ++out.unknown;
    } else {
      ++out.best[index(best.control)];
    }
  }
  out.forgotten = history_.forgotten();
  return out;
}

std::string networks_file(const std::string& directory) {
  const char* const given = std::getenv("STATE_DIRECTORY");  // systemd.exec(5)
  std::string_view chosen = directory;
  if (chosen.empty() && given != nullptr) chosen = given;
  chosen = chosen.substr(0, directory.empty() ? chosen.find(':') : chosen.size());
  return chosen.empty() ? "" : (std::filesystem::path{chosen} / "networks.json").string();
}

}  // namespace app
