#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "transcoder/settings.h"
#include "transcoder/source.h"
#include "transcoder/test_options.h"

namespace transcoder {

/// The built-in source `test:`: a moving picture and a tone, made on a thread of its own at the
/// pace of the clock. Needs nothing outside the program and never ends.
class TestSource final : public Source {
 public:
  TestSource(TestOptions options, const VideoSettings& limits);
  ~TestSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  void stop() override;

 private:
  void run(Listener& listener);
  bool wait_until(base::Time due);

  TestOptions options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // GUARDED_BY(mutex_)
  std::thread thread_;
};

}  // namespace transcoder
