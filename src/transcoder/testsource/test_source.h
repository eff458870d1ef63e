#pragma once

#include <memory>
#include <stop_token>
#include <thread>

#include "transcoder/settings.h"
#include "transcoder/source.h"
#include "transcoder/testsource/test_options.h"

namespace transcoder {

/// The built-in source `test:`: moving pictures and a tone, generated in real time on a thread of
/// its own. Needs nothing outside the program and never ends.
class TestSource final : public Source {
 public:
  TestSource(TestOptions options, const VideoSettings& limits);
  ~TestSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  void stop() override;

 private:
  void run(Listener& listener, const std::stop_token& stop);

  TestOptions options_;
  std::jthread thread_;
};

}  // namespace transcoder
