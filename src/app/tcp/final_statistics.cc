#include "app/tcp/final_statistics.h"

#include <utility>

namespace app {

class FinalStatistics::Source final : public server::LoopSource {
 public:
  explicit Source(FinalStatistics& statistics) : statistics_{statistics} {}

  const char* name() const override { return "connection_ends"; }
  int fd() const override { return statistics_.kernel_->fd(); }
  void on_readable(base::Time) override {
    statistics_.kernel_->drain([this](const auto& socket) { statistics_.destroyed(socket); });
  }

 private:
  FinalStatistics& statistics_;
};

void FinalStatistics::left(std::uint64_t cookie, server::ViewerId viewer, std::string stream,
                           const tcpinfo::TcpInfoReading& last, base::Time now) {
  {
    std::lock_guard lock{mutex_};
    const auto place = queue_.insert(
        queue_.end(), {cookie, now + kPatience, {viewer, std::move(stream), last, false}});
    by_cookie_[cookie] = place;
  }
  const std::size_t most = kernel_ ? kMostPending : 0;
  report_untold([&](const Pending&) { return queue_.size() > most; });
}

void FinalStatistics::destroyed(const tcpinfo::DiagSocket& socket) {
  std::optional<Report> report;
  {
    std::lock_guard lock{mutex_};
    const auto found = by_cookie_.find(socket.cookie);
    if (found == by_cookie_.end()) return;
    report = take(found->second);
    ++told_;
  }
  report->told = true;
  // close() with SO_LINGER 0 clears the counters first: then what was read before it is the last.
  const auto& last = report->reading.info;
  if (socket.tcp_info.info.bytes_acked >= last.bytes_acked) report->reading = socket.tcp_info;
  tell(*report);
}

void FinalStatistics::expire(base::Time now) {
  report_untold([now](const Pending& pending) { return pending.deadline <= now; });
}

std::unique_ptr<server::LoopSource> FinalStatistics::loop_source() {
  return kernel_ ? std::make_unique<Source>(*this) : nullptr;
}

FinalStatistics::State FinalStatistics::state() const {
  std::lock_guard lock{mutex_};
  return {totals_, queue_.size(), told_, untold_, kernel_ ? kernel_->lost() : 0};
}

FinalStatistics::Report FinalStatistics::take(Queue::iterator pending) {
  Report report = std::move(pending->report);
  by_cookie_.erase(pending->cookie);
  queue_.erase(pending);
  return report;
}

/// From the oldest on, while `condition` holds.
void FinalStatistics::report_untold(const std::function<bool(const Pending&)>& condition) {
  for (;;) {
    std::optional<Report> report;
    {
      std::lock_guard lock{mutex_};
      if (queue_.empty() || !condition(queue_.front())) return;
      report = take(queue_.begin());
      ++untold_;
    }
    tell(*report);
  }
}

void FinalStatistics::tell(const Report& report) {
  const auto& info = report.reading.info;
  {
    std::lock_guard lock{mutex_};
    totals_.segments_sent += info.data_segs_out;
    totals_.segments_retransmitted += info.total_retrans;
    if (report.reading.has_total_rto()) {
      totals_.timeouts = totals_.timeouts.value_or(0) + info.total_rto;
    }
    totals_.busy += std::chrono::microseconds{info.busy_time};
    totals_.rwnd_limited += std::chrono::microseconds{info.rwnd_limited};
  }
  callback_(report);
}

}  // namespace app
