#include "app/config/config_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

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

NetworkRule network_rule(const Value& value) {
  const auto* table = std::get_if<Value::Table>(&value.data);
  if (table == nullptr) reject(value, "a table of network and congestion_control");
  NetworkRule rule;
  bool has_network = false;
  for (const auto& [key, place, member] : *table) {
    if (key == "network") {
      rule.network = parsed<server::Network>(member, "an address block such as \"10.0.0.0/8\"");
      has_network = true;
    } else if (key == "congestion_control") {
      rule.congestion_control = Text{}.read(member);
    } else {
      const auto meant = nearest(key, {"network", "congestion_control"});
      throw Rejected{place, meant.empty()
                                ? fmt::format("unknown key {}; a rule has network and "
                                              "congestion_control",
                                              key)
                                : fmt::format("unknown key {}; did you mean {}?", key, meant)};
    }
  }
  if (!has_network || rule.congestion_control.empty()) {
    throw Rejected{value.place, "a rule needs both network and congestion_control"};
  }
  return rule;
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
  for (const auto& item : list) texts.push_back(quoted(item.text()));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <typename T>
std::string ListOf<T>::allowed() const {
  return std::string{meaning};
}

template struct ListOf<server::Endpoint>;
template struct ListOf<server::Network>;

std::vector<NetworkRule> NetworkRules::read(const Value& value) const {
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) reject(value, "a list of rules: write [[tcp.network]]");
  std::vector<NetworkRule> rules;
  for (const auto& item : *list) rules.push_back(network_rule(item));
  return rules;
}

std::string NetworkRules::write(const std::vector<NetworkRule>& rules) const {
  std::vector<std::string> texts;
  for (const auto& rule : rules) {
    texts.push_back(fmt::format("{{ network = {}, congestion_control = {} }}",
                                quoted(rule.network.text()), quoted(rule.congestion_control)));
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string NetworkRules::allowed() const {
  return R"(list of { network = "ADDRESS/LENGTH", congestion_control = "NAME" })";
}

}  // namespace app::types
