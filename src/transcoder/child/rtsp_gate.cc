#include "transcoder/child/rtsp_gate.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "transcoder/child/access_gate.h"

namespace transcoder {

namespace {

class Connections {
 public:
  void add(const void* connection) {
    std::lock_guard lock{mutex_};
    all_[connection] = std::make_shared<RtspLimits>();
  }

  std::shared_ptr<RtspLimits> find(const void* connection) {
    std::lock_guard lock{mutex_};
    auto& found = all_[connection];
    if (found == nullptr) found = std::make_shared<RtspLimits>();
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::shared_ptr<RtspLimits>> all_;  // GUARDED_BY(mutex_)
};

Connections& connections() {
  static Connections of_process;
  return of_process;
}

thread_local RtspLimits* being_read = nullptr;

void refuse_if(std::string reason) {
  if (auto* const gate = AccessGate::active(); gate != nullptr && !reason.empty()) {
    gate->refuse(std::move(reason));
  }
}

}  // namespace

void limit_rtsp(const void* connection) { connections().add(connection); }

void note_rtsp_request(const void* connection, bool for_media) {
  connections().find(connection)->sent(for_media);
}

RtspReading::RtspReading(const void* connection) : limits_{connections().find(connection)} {
  limits_->begins();
  being_read = limits_.get();
}

RtspReading::~RtspReading() { being_read = nullptr; }

void RtspReading::note(std::size_t asked, std::size_t got) {
  if (being_read != nullptr) refuse_if(being_read->read(asked, got));
}

void RtspReading::arrived(RtspLimits::Message what) {
  refuse_if(limits_->arrived(what, base::Clock::now()));
}

void RtspReading::is_too_long() { refuse_if(rtsp_body_refusal()); }

}  // namespace transcoder
