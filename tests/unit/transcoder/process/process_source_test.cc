#include "transcoder/process/process_source.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Cause = SourceEnd::Cause;

/// Keeps what a source delivers.
class Record final : public Source::Listener {
 public:
  void on_picture(media::Frame picture) override {
    change([&] { pictures.push_back(std::move(picture)); });
  }
  void on_audio(media::Samples samples, base::Time) override {
    change([&] { audio += samples.values.size(); });
  }
  void on_gap(base::Time until) override {
    change([&] { gap = until; });
  }
  void on_unreadable(std::uint64_t count) override {
    change([&] { unreadable += count; });
  }
  void on_dropped(std::uint64_t count) override {
    change([&] { dropped += count; });
  }
  void on_end(SourceEnd reason) override {
    change([&] { end = std::move(reason); });
  }

  /// Waits for `condition`, for a minute at most: the machine may be slow.
  template <typename Condition>
  bool wait(Condition condition) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, 60s, condition);
  }

  std::vector<media::Frame> pictures;
  std::size_t audio = 0;
  base::Time gap{};
  std::uint64_t unreadable = 0;
  std::uint64_t dropped = 0;
  std::optional<SourceEnd> end;

 private:
  template <typename Change>
  void change(Change change) {
    std::lock_guard lock{mutex_};
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
};

std::ptrdiff_t count_files(const std::string& folder) {
  const std::filesystem::directory_iterator files{folder};
  return std::distance(begin(files), end(files));
}

/// A source whose process does what the name of its stream says (liar.cc).
struct ProcessSourceTest : testing::Test {
  std::unique_ptr<ProcessSource> source(const std::string& deed) {
    return std::make_unique<ProcessSource>(
        shared, deed, SourceSettings{.uri = "file:x", .memory = base::ByteCount{64 << 20}},
        VideoSettings{});
  }

  SourceEnd end_of(const std::string& deed) {
    auto process = source(deed);
    const auto record = std::make_shared<Record>();
    process->start(record);
    EXPECT_TRUE(record->wait([&] { return record->end.has_value(); })) << deed;
    return record->end.value_or(SourceEnd{});
  }

  base::Result<IngestProgram> liar =
      IngestProgram::at(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "liar");
  std::shared_ptr<ProcessSource::Shared> shared =
      std::make_shared<ProcessSource::Shared>(std::move(*liar), base::ByteCount{1L << 40}, nullptr);
};

TEST_F(ProcessSourceTest, DeliversWhatTheProcessSends) {
  const auto process = source("plays");
  const auto record = std::make_shared<Record>();
  EXPECT_TRUE(process->report().preparing);
  process->start(record);
  ASSERT_TRUE(record->wait([&] { return record->gap != base::Time{}; }));
  ASSERT_EQ(record->pictures.size(), 3u);
  EXPECT_EQ(record->pictures[2].pts, 80ms);
  EXPECT_EQ(record->pictures[2].format.width, 64);
  EXPECT_EQ(record->pictures[2].plane[0][0], 77);
  EXPECT_EQ(record->audio, 2u);
  EXPECT_EQ(record->unreadable, 2u);
  EXPECT_FALSE(process->report().preparing);
  EXPECT_EQ(process->report().bytes, 7u);
  EXPECT_EQ(process->report().video_codec, "X");
  process->stop();
  EXPECT_EQ(record->end, std::nullopt) << "we stopped it";
  EXPECT_EQ(record->pictures[0].plane[0][0], 77) << "pictures outlive the process";
}

TEST_F(ProcessSourceTest, AnEndHasItsReasonAndCause) {
  const auto expect = [&](const std::string& deed, Cause cause, const std::string& reason) {
    const auto end = end_of(deed);
    EXPECT_EQ(end.reason, reason) << deed;
    EXPECT_EQ(end.cause, cause) << deed;
  };
  expect("ends", Cause::kRefused, "the file ends");
  expect("exits", Cause::kCrashed, "its process ended with exit code 3");
  expect("crashes", Cause::kCrashed, "its process crashed: signal 11 (Segmentation fault)");
#ifndef SYMCAST_SANITIZED  // which needs a multiple of the memory
  expect("allocates", Cause::kLimit,
         "its process uses more memory than source.memory allows (64 MB)");
  expect("starts threads", Cause::kLimit, "its process runs 131 threads; at most 128 are allowed");
#endif
  expect("stops", Cause::kHung, "its process does not respond for 3 s");
}

TEST_F(ProcessSourceTest, TrustsNothing) {
  const std::string broken = "its process breaks the protocol: ";
  const auto expect = [&](const std::string& deed, const std::string& how) {
    const auto end = end_of(deed);
    EXPECT_EQ(end.reason, broken + how) << deed;
    EXPECT_EQ(end.cause, Cause::kProtocol) << deed;
  };
  expect("does not say hello", "no hello");
  expect("says hello twice", "a second hello");
  expect("uses a slot twice", "picture: slot 0 is in use");
  expect("uses a slot that is not there", "picture: slot 200");
  expect("sends a huge picture", "picture 9000x20");
  expect("sends a message that is cut", "unreadable: end early");
  expect("sends a descriptor", "too many descriptors");
  expect("floods", "more than 2000 messages per second");
}

TEST_F(ProcessSourceTest, KillsAProcessThatDoesNotStop) {
  const auto process = source("ignores a stop");
  const auto record = std::make_shared<Record>();
  process->start(record);
  ASSERT_TRUE(record->wait([&] { return record->unreadable == 1; }));
  process->stop();
  EXPECT_EQ(record->end, std::nullopt);
}

TEST_F(ProcessSourceTest, LogsNotesWithItsOwnNames) {
  const auto process = source("is redirected");
  const auto record = std::make_shared<Record>();
  testing::internal::CaptureStderr();
  process->start(record);
  EXPECT_TRUE(record->wait([&] { return record->unreadable == 1; }));
  process->stop();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("source_redirected stream=\"is redirected\" to=http://***@host/ times=3\n"),
            log.npos)
      << log;
  EXPECT_NE(log.find("publisher_refused stream=\"is redirected\" source=srt://:9000\n"), log.npos)
      << log;
}

// On a machine where it takes longer than a source has for its first picture, none would ever play.
TEST_F(ProcessSourceTest, PluginsAreReadToTheEndWithoutTheSourceThatBegan) {
  const auto begins = testing::TempDir() + "probe_begins";
  std::filesystem::remove(begins);
  ::setenv("GST_LIAR_PROBE", begins.c_str(), 1);
  const auto has_begun = [&] { return std::filesystem::exists(begins); };
  EXPECT_FALSE(shared->plugins.update(shared->program, has_begun));
  EXPECT_TRUE(shared->plugins.update(shared->program, [] { return false; }));
  ::unsetenv("GST_LIAR_PROBE");
  EXPECT_EQ(std::filesystem::file_size(begins), 1u);
}

TEST_F(ProcessSourceTest, LeavesNoThreadAndNoDescriptor) {
  const auto deeds = {"crashes", "ends", "sends a descriptor", "uses a slot twice"};
  for (const auto* deed : deeds) end_of(deed);  // a stream keeps a few
  const auto threads = count_files("/proc/self/task");
  const auto descriptors = count_files("/proc/self/fd");
  for (const auto* deed : deeds) {
    for (int i = 0; i < 5; ++i) end_of(deed);
  }
  EXPECT_EQ(count_files("/proc/self/fd"), descriptors);
  // The kernel forgets a thread a little later than its join returns.
  while (count_files("/proc/self/task") > threads) std::this_thread::sleep_for(1ms);
}

TEST_F(ProcessSourceTest, SettingsThatAreTooLongAreTheReason) {
  ProcessSource process{shared, "live", {.uri = std::string(100'000, 'x')}, {}};
  const auto record = std::make_shared<Record>();
  process.start(record);
  ASSERT_TRUE(record->end);
  EXPECT_EQ(record->end->cause, Cause::kStart);
}

TEST_F(ProcessSourceTest, AProgramThatCannotRunIsTheReason) {
  auto program = IngestProgram::at("/proc/version");
  ASSERT_FALSE(program);
  const auto reason = program.error();
  EXPECT_EQ(reason, "cannot run '/proc/version': Permission denied");
  const auto source =
      process_source_maker(std::move(program), base::ByteCount{1L << 40}, nullptr)("live", {}, {});
  const auto record = std::make_shared<Record>();
  source->start(record);
  EXPECT_EQ(record->end->reason, reason);
  EXPECT_EQ(record->end->cause, Cause::kStart);
}

}  // namespace
}  // namespace transcoder
