#include "app/tcp/delivery_watch.h"

#include "tcpinfo/packet_train.h"

namespace app {

namespace {

std::uint64_t bytes_sent(const server::ViewerTick& tick) {
  return static_cast<std::uint64_t>(tick.state.sent.bytes());
}

}  // namespace

bool DeliveryWatch::begin(const server::ViewerTick& tick) {
  if (budget_.every_nth() == 0) return true;
  reports_ = tcpinfo::DeliveryReports::enable(tick.fd, bytes_sent(tick));
  return reports_.has_value();
}

server::TxTimestampRequest DeliveryWatch::tx_timestamps(base::ByteCount size, base::Time now) {
  if (!reports_) return {};
  const auto head = static_cast<std::size_t>(tcpinfo::train_head(size, mss_).bytes());
  const unsigned cost = head > 0 ? 2 : 1;
  if (!budget_.grant(turn_, cost, congested_, now)) return {};
  return {.end = true, .head = head};
}

void DeliveryWatch::read_reports(const server::ViewerTick& tick) {
  if (!reports_) return;
  reports_->read(tick.fd, bytes_sent(tick), [&](const tcpinfo::Delivery& report) {
    frames_.on_report(report, tick.sent, delivered_);
  });
}

void DeliveryWatch::on_sample(const tcpinfo::TcpSample& sample, const server::ViewerTick& tick) {
  frames_.on_sample(sample, tick.sent, delivered_, [&] { read_reports(tick); });
  mss_ = sample.mss;
  congested_ = sample.ca_state != tcpinfo::CaState::kOpen;
}

}  // namespace app
