#include "app/tcp/final_statistics.h"

#include <utility>

namespace app {

class FinalStatistics::Source final : public server::LoopSource {
 public:
  explicit Source(FinalStatistics& statistics) : statistics_{statistics} {}

  const char* name() const override { return "connection_ends"; }
  int fd() const override { return statistics_.kernel_->fd(); }
  void on_readable(base::Time) override {
    statistics_.kernel_->drain(
        [this](const auto& socket) { statistics_.socket_destroyed(socket); });
  }

 private:
  FinalStatistics& statistics_;
};

void FinalStatistics::viewer_left(std::uint64_t cookie, server::ViewerId viewer, std::string stream,
                                  const server::Address& address,
                                  const tcpinfo::TcpInfoReading& last, base::Time now) {
  {
    std::lock_guard lock{mutex_};
    const auto place = queue_.insert(
        queue_.end(),
        {cookie, now + kMaxEndWait, {viewer, std::move(stream), address, last, false}});
    by_cookie_[cookie] = place;
  }
  const std::size_t most = kernel_ ? kMaxPendingReports : 0;
  report_last_seen([&](const Pending&) { return queue_.size() > most; });
}

void FinalStatistics::socket_destroyed(const tcpinfo::DiagSocket& socket) {
  std::optional<Report> report;
  {
    std::lock_guard lock{mutex_};
    const auto found = by_cookie_.find(socket.cookie);
    if (found == by_cookie_.end()) return;
    report = take(found->second);
    ++final_reports_;
  }
  report->is_final = true;
  // With SO_LINGER 0, close() clears the counters first; then the reading taken before it counts.
  const auto& last = report->reading.info;
  if (socket.tcp_info.info.bytes_acked >= last.bytes_acked) report->reading = socket.tcp_info;
  publish(*report);
}

void FinalStatistics::expire(base::Time now) {
  report_last_seen([now](const Pending& pending) { return pending.deadline <= now; });
}

std::unique_ptr<server::LoopSource> FinalStatistics::loop_source() {
  return kernel_ ? std::make_unique<Source>(*this) : nullptr;
}

FinalStatistics::State FinalStatistics::state() const {
  std::lock_guard lock{mutex_};
  return {totals_, queue_.size(), final_reports_, last_seen_reports_,
          kernel_ ? kernel_->lost() : 0};
}

FinalStatistics::Report FinalStatistics::take(Queue::iterator pending) {
  Report report = std::move(pending->report);
  by_cookie_.erase(pending->cookie);
  queue_.erase(pending);
  return report;
}

/// Reports pending viewers as last seen, oldest first, while `condition` holds.
void FinalStatistics::report_last_seen(const std::function<bool(const Pending&)>& condition) {
  for (;;) {
    std::optional<Report> report;
    {
      std::lock_guard lock{mutex_};
      if (queue_.empty() || !condition(queue_.front())) return;
      report = take(queue_.begin());
      ++last_seen_reports_;
    }
    publish(*report);
  }
}

void FinalStatistics::publish(const Report& report) {
  const auto& info = report.reading.info;
  {
    std::lock_guard lock{mutex_};
    if (report.reading.has_total_rto()) {
      totals_.timeouts = totals_.timeouts.value_or(0) + info.total_rto;
    }
    totals_.busy += std::chrono::microseconds{info.busy_time};
    totals_.rwnd_limited += std::chrono::microseconds{info.rwnd_limited};
  }
  callback_(report);
}

}  // namespace app
