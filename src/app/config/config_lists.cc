#include "app/config/config_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "app/config/config_types.h"
#include "app/config/config_units.h"
#include "app/config/nearest.h"

namespace app::types {

namespace {

template <typename T>
T parsed(const Value& value, std::string_view meaning) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) reject(value, meaning);
  auto result = T::parse(*text);
  if (!result) throw Rejected{value.place, result.error()};
  return std::move(*result);
}

// Segments. A burst larger than the maximum would overflow most queues.
constexpr Whole kInitcwndRange{1, 1000};

void read_member(const std::string& key, const Value& value, const std::string& place,
                 NetworkRule& rule) {
  if (key == "network") {
    rule.network = parsed<server::Network>(value, "an address block such as \"10.0.0.0/8\"");
  } else if (key == "congestion_control") {
    rule.congestion_control = Text{}.read(value);
  } else if (key == "initcwnd") {
    rule.initcwnd = kInitcwndRange.read(value);
  } else {
    const auto meant = nearest(key, {"network", "congestion_control", "initcwnd"});
    throw Rejected{
        place,
        meant.empty()
            ? fmt::format("unknown key {}; known keys: network, congestion_control, initcwnd", key)
            : fmt::format("unknown key {}; did you mean {}?", key, meant)};
  }
}

NetworkRule network_rule(const Value& value) {
  const auto* table = std::get_if<Value::Table>(&value.data);
  if (table == nullptr) reject(value, "a table with network, congestion_control and initcwnd");
  NetworkRule rule;
  for (const auto& [key, place, member] : *table) read_member(key, member, place, rule);
  const bool has_network = std::ranges::find(*table, "network", &Value::Entry::key) != table->end();
  if (!has_network || (rule.congestion_control.empty() && rule.initcwnd == 0)) {
    throw Rejected{value.place, "a rule needs network, and congestion_control or initcwnd"};
  }
  return rule;
}

std::string written(const NetworkRule& rule) {
  auto out = fmt::format("network = {}", in_quotes(rule.network.text()));
  if (!rule.congestion_control.empty()) {
    out += fmt::format(", congestion_control = {}", in_quotes(rule.congestion_control));
  }
  if (rule.initcwnd > 0) out += fmt::format(", initcwnd = {}", rule.initcwnd);
  return "{ " + out + " }";
}

}  // namespace

template <typename T>
std::vector<T> ListOf<T>::read(const Value& value) const {
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) return {parsed<T>(value, meaning)};
  std::vector<T> out;
  for (const auto& item : *list) out.push_back(parsed<T>(item, meaning));
  return out;
}

template <typename T>
std::string ListOf<T>::write(const std::vector<T>& list) const {
  std::vector<std::string> texts;
  for (const auto& item : list) texts.push_back(in_quotes(item.text()));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <typename T>
std::string ListOf<T>::allowed() const {
  return std::string{meaning};
}

template struct ListOf<server::Endpoint>;
template struct ListOf<server::Network>;
template struct ListOf<server::HostName>;
template struct ListOf<server::Origin>;
template struct ListOf<transcoder::AllowedPlace>;

std::vector<NetworkRule> NetworkRules::read(const Value& value) const {
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) reject(value, "a list of rules; write [[tcp.network]]");
  std::vector<NetworkRule> rules;
  for (const auto& item : *list) rules.push_back(network_rule(item));
  return rules;
}

std::string NetworkRules::write(const std::vector<NetworkRule>& rules) const {
  std::vector<std::string> texts;
  for (const auto& rule : rules) texts.push_back(written(rule));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string NetworkRules::allowed() const {
  return fmt::format(R"(list of {{ network = "ADDRESS/LENGTH", congestion_control = "NAME", )"
                     "initcwnd = {} to {} }}; a rule may omit one of the last two",
                     kInitcwndRange.min, kInitcwndRange.max);
}

}  // namespace app::types
