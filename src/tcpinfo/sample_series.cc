#include "tcpinfo/sample_series.h"

#include <algorithm>
#include <utility>

namespace tcpinfo {

TcpSample SampleSeries::next(TcpSample sample) {
  const auto passed = sample.at - std::exchange(at_, sample.at).value_or(sample.at);
  sample.busy = busy_.next(sample.busy, passed);
  sample.receiver_limited = receiver_limited_.next(sample.receiver_limited, passed);
  return sample;
}

base::Duration SampleSeries::TimeCounter::next(base::Duration read, base::Duration passed) {
  const auto before = std::exchange(read_, read);
  if (!before) return total_ = read;  // the time before the first sample is unknown
  const auto most = std::max(base::Duration{}, slack_ + passed);
  const auto grown = std::clamp(read - *before, base::Duration{}, most);
  slack_ = std::min(kSlack, most - grown);
  return total_ += grown;
}

}  // namespace tcpinfo
