#pragma once

#include <prometheus/metric_family.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace app {

using Labels = std::vector<prometheus::ClientMetric::Label>;

/// Builds the families of one scrape: a call per value, gathered by name. For one thread.
class Families {
 public:
  void gauge(const std::string& name, const std::string& help, Labels labels, double value) {
    metric(name, help, prometheus::MetricType::Gauge, std::move(labels)).gauge.value = value;
  }
  void counter(const std::string& name, const std::string& help, Labels labels, double value) {
    metric(name, help, prometheus::MetricType::Counter, std::move(labels)).counter.value = value;
  }
  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& metric(const std::string& name, const std::string& help,
                                   prometheus::MetricType type, Labels labels) {
    auto it = std::ranges::find(families_, name, &prometheus::MetricFamily::name);
    if (it == families_.end()) it = families_.insert(it, {name, help, type, {}});
    auto& added = it->metric.emplace_back();
    added.label = std::move(labels);
    return added;
  }

  std::vector<prometheus::MetricFamily> families_;
};

inline double count(std::uint64_t n) { return static_cast<double>(n); }
inline double bits_per_second(base::BitRate rate) { return static_cast<double>(rate.bps()); }

}  // namespace app
