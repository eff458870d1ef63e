#include "transcoder/wire/message.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "transcoder/wire/codec.h"
#include "wire_bytes.h"

namespace transcoder::wire {
namespace {

using namespace std::chrono_literals;

constexpr RingLayout kRing{VideoSettings{.max_width = 128, .max_height = 72}};
constexpr std::int64_t kCentury = 100LL * 365 * 24 * 3600 * 1'000'000'000;

const auto decode = [](const Bytes& bytes) { return decode_from_child(bytes, kRing); };

const Picture kPicture{
    .slot = 3,
    .format = {.width = 72, .height = 128, .sar_num = 4, .sar_den = 3, .colour = {9, 16, 10, true}},
    .pts = -5s,
    .captured = base::Time{7s}};
const Audio kAudio{.samples = {.pts = 3s, .values = {0.25F, -8, 8, -0.0F}},
                   .captured = base::Time{4s}};
const Report kReport{
    {.data = base::Time{9s},
     .troubles = {{SourceTrouble::kWrongData, "a GIF"}, {SourceTrouble::kNoAudioDecoder, ""}},
     .wait = 2s,
     .bytes = 1'000'000,
     .video_codec = "H.264",
     .audio_codec = "AAC"}};

/// One message of each kind, in the order of FromChild.
const std::vector<Bytes>& examples() {
  static const std::vector<Bytes> all{encode(Hello{{.files = FileBarrier::kLandlock}}),
                                      encode(kPicture),
                                      encode(kAudio),
                                      encode(Gap{base::Time{5s}}),
                                      encode(Unreadable{3}),
                                      encode(Dropped{4}),
                                      encode(kReport),
                                      encode(Note{Note::Event::kTracksChange, {"a", "b"}}),
                                      encode(End{{"too large", SourceEnd::Cause::kLimit}})};
  return all;
}

template <typename Message>
Message round_trip(const Message& message) {
  auto decoded = decode(encode(message));
  EXPECT_TRUE(decoded) << decoded.error();
  return std::get<Message>(*decoded);
}

template <typename Message>
Message daemon_round_trip(const Message& message) {
  auto decoded = decode_from_daemon(encode(message));
  EXPECT_TRUE(decoded) << decoded.error();
  return std::get<Message>(*decoded);
}

TEST(MessageTest, Pictures) {
  const auto picture = round_trip(kPicture);
  EXPECT_EQ(picture.slot, kPicture.slot);
  EXPECT_EQ(picture.format, kPicture.format);
  EXPECT_EQ(picture.pts, kPicture.pts);
  EXPECT_EQ(picture.captured, kPicture.captured);
}

TEST(MessageTest, Audio) {
  const auto audio = round_trip(kAudio);
  EXPECT_EQ(audio.samples.pts, kAudio.samples.pts);
  EXPECT_EQ(audio.samples.values, kAudio.samples.values);
  EXPECT_EQ(audio.captured, kAudio.captured);
}

TEST(MessageTest, Reports) {
  const auto& expected = kReport.report;
  const auto report = round_trip(kReport).report;
  EXPECT_EQ(report.data, expected.data);
  EXPECT_EQ(report.troubles, expected.troubles);
  EXPECT_EQ(report.wait, expected.wait);
  EXPECT_EQ(report.bytes, expected.bytes);
  EXPECT_EQ(report.video_codec, expected.video_codec);
  EXPECT_EQ(report.audio_codec, expected.audio_codec);
  EXPECT_EQ(round_trip(Report{}).report.data, std::nullopt);
}

TEST(MessageTest, SmallMessages) {
  for (const Isolation isolation :
       {Isolation{.files = FileBarrier::kLandlock},
        Isolation{.files = FileBarrier::kMountNamespace}, Isolation{.system_calls = true}}) {
    EXPECT_EQ(round_trip(Hello{isolation}).isolation, isolation);
  }
  EXPECT_EQ(round_trip(Gap{base::Time{5s}}).until, base::Time{5s});
  EXPECT_EQ(round_trip(Unreadable{3}).count, 3u);
  EXPECT_EQ(round_trip(Dropped{4}).count, 4u);
  const Note note{Note::Event::kRedirected, {"a", "", "c", "d"}};
  EXPECT_EQ(round_trip(note).event, note.event);
  EXPECT_EQ(round_trip(note).texts, note.texts);
  EXPECT_EQ(round_trip(End{{"so", SourceEnd::Cause::kLimit}}).end.cause, SourceEnd::Cause::kLimit);
  EXPECT_EQ(round_trip(End{{"so", SourceEnd::Cause::kLimit}}).end.reason, "so");
}

TEST(MessageTest, Settings) {
  const Start start{.source = {.uri = "gst:a !\n b\xff",
                               .program = 65535,
                               .audio = "none",
                               .first_picture_wait = 1s,
                               .silence_timeout = 2s,
                               .backoff_min = 3s,
                               .backoff_max = 4s,
                               .latency = 5s},
                    .video = {.max_width = 7680, .max_height = 4320, .max_frame_rate = 59.94},
                    .folders = {"/srv/media", "/srv/b"}};
  EXPECT_EQ(daemon_round_trip(start).source, start.source);
  EXPECT_EQ(daemon_round_trip(start).video, start.video);
  EXPECT_EQ(daemon_round_trip(start).folders, start.folders);
  daemon_round_trip(Stop{});
  EXPECT_EQ(daemon_round_trip(Start{{.uri = std::string(kMaxUri, 'x')}, {}}).source.uri.size(),
            kMaxUri);
  EXPECT_THROW(encode(Start{{.uri = std::string(kMaxUri + 1, 'x')}, {}}), std::length_error);
  const std::vector<std::string> folders(20, std::string(4000, 'x'));
  EXPECT_THROW(encode(Start{.folders = folders}), std::length_error) << "beyond kMaxMessage";
}

TEST(MessageTest, EachFieldHasItsBounds) {
  const auto& hello = examples()[0];
  const auto& picture = examples()[1];
  const auto& audio = examples()[2];
  const auto& report = examples()[6];
  const auto& note = examples()[7];
  const auto& end = examples()[8];
  const std::int64_t over = kCentury + 1;
  const Field fields[]{
      {"a message of kind", examples()[4], 0, 1, {4, 5}, {9, 255}},
      {"hello: magic", hello, 1, 4, {0x73796d63}, {0, 0x73796d64, -1}},
      {"hello: version", hello, 5, 2, {1}, {0, 2, 0xffff}},
      {"hello: files", hello, 7, 1, {0, 1, 2}, {3, 255}},
      {"hello: system_calls", hello, 8, 1, {0, 1}, {2, 255}},
      {"picture: slot", picture, 1, 1, {0, 39}, {40, 255}},
      {"picture ", picture, 2, 2, {2, 72}, {0, 1, 71, 74, 128, 0xffff}},
      {"picture ", picture, 4, 2, {2, 72, 128}, {0, 1, 127, 130, 0xffff}},
      {"picture: sar_num", picture, 6, 4, {1, 65535}, {0, 65536, -1}},
      {"picture: sar_den", picture, 10, 4, {1, 65535}, {0, 65536, -1}},
      {"picture: primaries", picture, 14, 1, {0, 255}, {}},
      {"picture: transfer", picture, 15, 1, {0, 255}, {}},
      {"picture: matrix", picture, 16, 1, {0, 255}, {}},
      {"picture: full_range", picture, 17, 1, {0, 1}, {2, 255}},
      {"picture: pts", picture, 18, 8, {-kCentury, 0, kCentury}, {-over, over}},
      {"picture: captured", picture, 26, 8, {0, kCentury}, {-1, over}},
      {"audio: pts", audio, 1, 8, {-kCentury, kCentury}, {-over, over}},
      {"audio: captured", audio, 9, 8, {0, kCentury}, {-1, over}},
      {"audio: frames", audio, 17, 2, {2}, {0, 4097, 0xffff}},
      {"audio: end", audio, 17, 2, {}, {1, 3, 4096}},
      {"gap: until", examples()[3], 1, 8, {0, kCentury}, {-1, over}},
      {"unreadable: count", examples()[4], 1, 4, {0, 10'000}, {10'001, -1}},
      {"dropped: count", examples()[5], 1, 4, {0, 10'000}, {10'001, -1}},
      {"report: has_data", report, 1, 1, {1}, {2, 255}},
      {"report: data", report, 2, 8, {0, kCentury}, {-1, over}},
      {"report: troubles", report, 10, 2, {0x101, 0x180}, {0x501, 0xffff}},
      {"report: trouble ", report, 12, 2, {5}, {513, 0xffff}},
      {"report: trouble unprintable", report, 14, 1, {'A'}, {0, '\n', 0x80}},
      {"report: wait", report, 21, 8, {0, 10'000'000'000}, {-1, 10'000'000'001}},
      {"report: bytes", report, 29, 8, {0, 1LL << 60}, {(1LL << 60) + 1, -1}},
      {"report: video_codec", report, 37, 2, {5}, {65, 0xffff}},
      {"report: audio_codec", report, 44, 2, {3}, {65, 0xffff}},
      {"note: event", note, 1, 1, {0, 4}, {5, 255}},
      {"note: texts", note, 2, 1, {2}, {5, 255}},
      {"note: end", note, 2, 1, {}, {1, 3}},
      {"note: text", note, 3, 2, {1}, {513, 0xffff}},
      {"end: cause", end, 1, 1, {0, 2}, {3, 255}},
      {"end: reason", end, 2, 2, {9}, {513, 0xffff}},
      {"end: end early", end, 2, 2, {}, {10, 512}},
  };
  for (const auto& field : fields) expect_bounds(field, decode);
}

TEST(MessageTest, EachSettingHasItsBounds) {
  const auto start = encode(Start{{.uri = "file:a", .audio = "de"}, {}});
  const std::int64_t over = kCentury + 1;
  const Field fields[]{
      {"a message of kind", encode(Stop{}), 0, 1, {1}, {2, 255}},
      {"start: uri", start, 1, 2, {6}, {kMaxUri + 1, 0xffff}},
      {"start: program", start, 9, 2, {0, 0xffff}, {}},
      {"start: audio", start, 11, 2, {2}, {513}},
      {"start: first_picture_wait", start, 15, 8, {0, kCentury}, {-1, over}},
      {"start: silence_timeout", start, 23, 8, {0, kCentury}, {-1, over}},
      {"start: backoff_min", start, 31, 8, {0, kCentury}, {-1, over}},
      {"start: backoff_max", start, 39, 8, {0, kCentury}, {-1, over}},
      {"start: latency", start, 47, 8, {0, kCentury}, {-1, over}},
      {"start: memory", start, 55, 8, {1, std::int64_t{1} << 40}, {0, -1}},
      {"start: cpu", start, 63, 8, {0}, {-1}},  // -1 has the bits of a NaN
      {"start: max_size_width", start, 71, 4, {1, 0xffff}, {0, 0x10000, -1}},
      {"start: max_size_height", start, 75, 4, {1, 0xffff}, {0, 0x10000, -1}},
      {"start: max_width", start, 79, 2, {2, 0xffff}, {0, 1}},
      {"start: max_height", start, 81, 2, {2, 0xffff}, {0, 1}},
      {"start: max_frame_rate", start, 83, 8, {0}, {-1}},
      {"start: folders", start, 91, 1, {0}, {65, 255}},
  };
  for (const auto& field : fields) expect_bounds(field, decode_from_daemon);
}

TEST(MessageTest, SamplesHaveTheirBounds) {
  for (const float value : {-8.01F, 8.01F, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    auto bytes = encode(kAudio);
    std::memcpy(bytes.data() + 19, &value, sizeof value);
    EXPECT_EQ(decode(bytes).error(), "audio: sample out of range");
  }
}

TEST(MessageTest, EncodesWhatASourceSaysWithinTheBounds) {
  auto picture = kPicture;
  picture.format.sar_num = 1'000'000;
  picture.format.sar_den = 250'000;
  picture.pts = base::Duration::max();
  picture.captured = base::Time{-1s};
  EXPECT_EQ(round_trip(picture).format.sar_num / round_trip(picture).format.sar_den, 4);
  EXPECT_EQ(round_trip(picture).pts.count(), kCentury);
  EXPECT_EQ(round_trip(picture).captured, base::Time{});
  EXPECT_EQ(round_trip(Unreadable{std::numeric_limits<std::uint64_t>::max()}).count, 10'000u);
  EXPECT_EQ(round_trip(Note{{}, std::vector<std::string>(9)}).texts.size(), kMaxNoteTexts);
  EXPECT_EQ(round_trip(End{{"a\nb\xff" + std::string(600, 'c')}}).end.reason,
            "a?b?" + std::string(508, 'c'));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(round_trip(Audio{{.values = {nan, 9}}, {}}).samples.values, (std::vector<float>{0, 8}));
}

TEST(MessageTest, LongAudioTakesSeveralMessages) {
  media::Samples samples{.pts = 1s, .values = std::vector<float>(2 * (2 * kMaxAudioFrames + 1))};
  samples.values.back() = 1;
  const auto messages = audio_messages(samples, base::Time{2s});
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].samples.values.size(), 2 * kMaxAudioFrames);
  EXPECT_EQ(messages[2].samples.values, (std::vector<float>{0, 1}));
  EXPECT_EQ(messages[2].samples.pts, 1s + 2 * kMaxAudioFrames * 1'000'000'000ns / 48'000);
  EXPECT_EQ(messages[2].captured, base::Time{2s});
  EXPECT_LE(encode(messages[0]).size(), kMaxMessage);
  EXPECT_TRUE(audio_messages({}, {}).empty());
  EXPECT_THROW(encode(Audio{}), std::length_error);
  EXPECT_THROW(encode(Audio{samples, {}}), std::length_error);
}

TEST(MessageTest, TheLongestMessagesFit) {
  Report report;
  for (int i = 0; i <= static_cast<int>(SourceTrouble::kTooManyPictures); ++i) {
    report.report.troubles[SourceTrouble{i}] = std::string(kMaxText, 'x');
  }
  EXPECT_LE(encode(report).size(), kMaxMessage);
  const Start start{{.uri = std::string(kMaxUri, 'x'), .audio = std::string(kMaxText, 'x')}, {}};
  EXPECT_LE(encode(start).size(), kMaxMessage);
}

TEST(MessageTest, TimesThatCannotBeTrueAreMoved) {
  const base::Time now{100s};
  const auto settled = [&](FromChild message) {
    settle_times(message, now);
    return message;
  };
  const auto captured = [&](base::Time time) {
    return std::get<Picture>(settled(Picture{.captured = time})).captured;
  };
  EXPECT_EQ(captured(now), now);
  EXPECT_EQ(captured(now + 1ns), now);
  EXPECT_EQ(captured(now - 10s), now - 10s);
  EXPECT_EQ(captured(now - 11s), now - 10s);
  EXPECT_EQ(std::get<Audio>(settled(Audio{.captured = now + 1s})).captured, now);
  EXPECT_EQ(std::get<Gap>(settled(Gap{now + 1h})).until, now + 1h);
  EXPECT_EQ(std::get<Gap>(settled(Gap{now + 2h})).until, now + 1h);
  EXPECT_EQ(std::get<Report>(settled(Report{{.data = now + 1s}})).report.data, now);
  EXPECT_EQ(std::get<Report>(settled(Report{})).report.data, std::nullopt);
}

TEST(MessageTest, MessagesHaveAnExactLength) {
  for (const auto& example : examples()) expect_exact_length(example, decode);
  expect_exact_length(encode(Start{}), decode_from_daemon);
  expect_exact_length(encode(Stop{}), decode_from_daemon);
}

TEST(MessageTest, RandomBytesAreRefusedOrEncodeToTheSame) {
  expect_refused_or_same(examples(), decode);
  expect_refused_or_same({encode(Start{}), encode(Stop{})}, decode_from_daemon);
}

}  // namespace
}  // namespace transcoder::wire
