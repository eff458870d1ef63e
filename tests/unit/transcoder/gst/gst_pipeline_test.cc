#include "transcoder/gst/gst_pipeline.h"

#include <gmock/gmock.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "transcoder/handle.h"

namespace transcoder {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::chrono_literals;

SourceSettings launch(const std::string& text) {
  SourceSettings settings;
  settings.uri = "gst:" + text;
  return settings;
}

GstPipeline open(const std::string& text) {
  return GstPipeline{launch(text), VideoSettings{}, std::make_shared<InputReport>(), [] {}};
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i, std::this_thread::sleep_for(5ms)) {
    if (condition()) return true;
  }
  return false;
}

/// Hides a kind of element from GStreamer while it lives.
class Missing {
 public:
  explicit Missing(const char* name) {
    gst_init(nullptr, nullptr);
    feature_.reset(gst_registry_lookup_feature(gst_registry_get(), name));
    gst_registry_remove_feature(gst_registry_get(), feature_.get());
  }
  Missing(const Missing&) = delete;
  Missing& operator=(const Missing&) = delete;
  ~Missing() { gst_registry_add_feature(gst_registry_get(), feature_.get()); }

 private:
  Handle<GstPluginFeature, gst_object_unref> feature_;
};

TEST(GstPipelineTest, SendsGLibsWarningsToTheLog) {
  open("videotestsrc");
  testing::internal::CaptureStderr();
  g_critical("two\nlines of rtsp://user:secret@host");
  const auto written = testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, HasSubstr("warning glib library="));
  EXPECT_THAT(written, HasSubstr("message=\"two lines of rtsp://***@host\""));
}

TEST(GstPipelineTest, SaysWhichElementIsMissing) {
  const Missing missing{"funnel"};
  EXPECT_THAT([] { open("videotestsrc"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no element 'funnel'")));
}

TEST(GstPipelineTest, SaysWhichElementIsMissingForALatePad) {
  const Missing missing{"decodebin"};
  auto pipeline = open("videotestsrc num-buffers=50 ! jpegenc ! matroskamux ! matroskademux");
  pipeline.play();
  EXPECT_TRUE(eventually([&] { return !pipeline.error().reason.empty(); }));
  EXPECT_THAT(pipeline.error().reason, HasSubstr("no element 'decodebin'"));
}

TEST(GstPipelineTest, CountsPicturesThatCannotBeRead) {
  auto pipeline = open("videotestsrc ! capsfilter caps=video/x-raw,width=1,height=1");
  pipeline.play();
  std::uint64_t unreadable = 0;
  EXPECT_TRUE(eventually([&] {
    EXPECT_FALSE(pipeline.take_frame());
    unreadable += pipeline.take_unreadable();
    return unreadable > 2;
  }));
}

/// Plays launch text until pictures and, in `report`, a trouble or audio have come.
struct Played {
  explicit Played(const std::string& text) {
    const auto report = std::make_shared<InputReport>();
    GstPipeline pipeline{launch(text), VideoSettings{}, report, [] {}};
    pipeline.play();
    EXPECT_TRUE(eventually([&] {
      pictures += pipeline.take_frame().has_value();
      audio += pipeline.take_audio().has_value();
      troubles = report->report(base::Clock::now()).troubles;
      return (pictures > 5 && (audio > 0 || !troubles.empty())) || !pipeline.error().reason.empty();
    }));
    EXPECT_EQ(pipeline.error().reason, "");
  }

  int pictures = 0;
  int audio = 0;
  std::map<SourceTrouble, std::string> troubles;
};

const std::string kPictures = "videotestsrc is-live=true ! queue  ";

TEST(GstPipelineTest, AudioThatCannotBeDecodedCostsNoPictures) {
  const Played played{kPictures +
                      "audiotestsrc is-live=true ! capssetter join=false replace=true"
                      " caps=audio/x-alac,rate=48000,channels=2,codec_data=(buffer)00 ! queue"};
  EXPECT_FALSE(played.troubles.empty());
  EXPECT_EQ(played.audio, 0);
}

TEST(GstPipelineTest, AudioWithoutADecoderCostsNoPictures) {
  const Played played{kPictures +
                      "audiotestsrc is-live=true ! capssetter join=false replace=true"
                      " caps=audio/x-unheard-of,rate=48000,channels=2 ! queue"};
  EXPECT_TRUE(played.troubles.contains(SourceTrouble::kNoAudioDecoder));
}

TEST(GstPipelineTest, ChannelsWithoutPositionsAreHeard) {
  const Played played{kPictures +
                      "audiotestsrc is-live=true"
                      " ! audio/x-raw,channels=12,channel-mask=(bitmask)0 ! queue"};
  EXPECT_GT(played.audio, 0);
  EXPECT_TRUE(played.troubles.empty());
}

TEST(GstPipelineTest, ChannelsWhosePositionsNobodySaysAreHeard) {  // such as those of wavparse
  const Played played{kPictures +
                      "audiotestsrc is-live=true"
                      " ! audio/x-raw,format=S16LE,rate=48000,channels=12,channel-mask=(bitmask)0"
                      " ! capssetter join=false replace=true caps=audio/x-raw,format=S16LE,"
                      "rate=48000,channels=12,layout=interleaved ! queue"};
  EXPECT_GT(played.audio, 0);
  EXPECT_TRUE(played.troubles.empty());
}

}  // namespace
}  // namespace transcoder
