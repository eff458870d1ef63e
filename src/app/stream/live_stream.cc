#include "app/stream/live_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cpus.h"
#include "base/log.h"
#include "transcoder/audio_rates.h"

namespace app {

namespace {

// HLS playlists list half of the segments kept: the one in progress and four complete ones, of
// which players hold three. With fewer, players run into the end of the list; more cost memory.
constexpr std::size_t kMinSegmentsKept = 10;
// Each rung has half the rate of the one above. More rungs serve slower segment players and cost
// encoding time; fewer leave those players without a rate that they sustain.
constexpr std::size_t kMaxRungs = 4;

segments::SegmentClock segment_clock(const StreamConfig& config, base::Duration origin) {
  const auto segment = config.media.encoder.keyframe_interval;
  return segments::SegmentClock::at(segment, std::min(config.segments.part, segment), origin);
}

std::size_t segments_kept(const StreamConfig& config) {
  const auto segments = config.segments.window / config.media.encoder.keyframe_interval;
  return std::max(static_cast<std::size_t>(segments), kMinSegmentsKept);
}

static_assert(transcoder::kAutoPresets.size() == abr::EncoderEffort::kCosts.size());
static_assert(transcoder::kFirstEffort == abr::EncoderEffort::kFirst);

bool chooses_preset(const transcoder::EncoderSettings& encoder) {
  return encoder.codec == transcoder::VideoCodec::kH264 &&
         encoder.preset == transcoder::kAutoPreset;
}

std::vector<abr::EncodeBudget::Encoder> encoders(const transcoder::Stream::State& media) {
  std::vector<abr::EncodeBudget::Encoder> result;
  for (const auto& [index, group] : media.groups) {
    result.push_back({.group = index,
                      .frames = group.frames,
                      .late = group.frames_late,
                      .cpu = group.encode_time,
                      .pixels = std::int64_t{group.format.width} * group.format.height});
  }
  return result;
}

}  // namespace

LiveStream::LiveStream(std::uint32_t index, const StreamConfig& config,
                       const transcoder::MediaClock& clock, transcoder::MakeSource make_source,
                       server::Server& server, Metrics& metrics)
    : index_{index},
      group_settings_{config.control.groups},
      server_{server},
      metrics_{metrics.stream(config.media.name)},
      clock_{clock, config.media.encoder.keyframe_interval, base::Clock::now()},
      segments_{segment_clock(config, clock_.origin()), segments_kept(config)},
      segment_settings_{config.segments},
      media_{config.media, clock_, std::move(make_source),
             [this](GroupIndex group, const media::PacketPtr& packet) { publish(group, packet); }},
      point_settings_{config.points},
      ladder_{config.control.groups, clock_, *this},
      budget_{base::usable_cpus(), config.control.groups.cpu, chooses_preset(config.media.encoder)},
      effort_{transcoder::kFirstEffort},
      viewer_settings_{
          std::make_shared<ViewerSettings>(ViewerSettings{config.control, config.tcp})} {}

bool LiveStream::tick(const abr::EncodeBudget::Others& others, base::Time now) {
  const auto verdict = budget_.update(encoders(media_.state()), others, now);
  if (verdict.held) ladder_.limit(*verdict.held);
  if (const auto group = verdict.shed ? ladder_.shed(now) : std::nullopt) {
    base::log::warning(
        "group_shed",
        {{"stream", name()},
         {"group", *group},
         {"hint",
          "the CPUs cannot keep up with the encoders and the viewers, so a group was closed; "
          "use a faster encoder.preset or more CPUs"}});
  }
  warn(ladder_.tick(now));
  for (const auto& [group, state] : ladder_.state().groups) {
    const auto encoder = state.closing ? nullptr : media_.group(group);
    if (!encoder) continue;
    apply(choose(group, state.rate, now), *encoder);
    encoder->set_effort(verdict.effort);
  }
  return verdict.effort > effort_.exchange(verdict.effort, std::memory_order_relaxed);
}

std::size_t LiveStream::State::viewers() const {
  std::size_t sum = 0;
  for (const auto& [index, group] : ladder.groups) sum += group.viewers;
  return sum;
}

LiveStream::State LiveStream::state() const {
  const auto headers = segments_.largest();
  State state{.name = name(),
              .containers = {},
              .segments = offers_segments(),
              .audio = media_settings().audio.enabled,
              .preset = preset(),
              .video_codec = headers ? headers->codec : "",
              .rate = viewer_settings()->control.rate,
              .began = clock_.date({}, clock_.date_offset()),
              .media = {},
              .ladder = ladder_.state()};
  std::ranges::copy_if(media::kContainers, std::back_inserter(state.containers),
                       [this](auto container) { return offers(container); });
  // Read after ladder_.state(), so that it has every group in which the ladder has viewers.
  state.media = media_.state();
  const auto date = [this](base::Time time) {
    return clock_.date(clock_.at(time), clock_.date_offset());
  };
  if (const auto last = state.media.source.last_picture) state.last_picture = date(*last);
  if (const auto since = state.media.source.away_since) state.away_since = date(*since);
  return state;
}

std::string LiveStream::preset() const {
  if (!is_h264()) return {};
  const auto& encoder = media_settings().encoder;
  return chooses_preset(encoder) ? transcoder::kAutoPresets[effort_.load()] : encoder.preset;
}

std::vector<base::BitRate> LiveStream::rungs() const {
  const auto limits = viewer_settings()->control.rate;
  std::vector<base::BitRate> rates{limits.max};
  while (rates.size() < kMaxRungs && 0.5 * rates.back() >= limits.min) {
    rates.push_back(0.5 * rates.back());
  }
  return rates;
}

transcoder::Stream::FullPictures LiveStream::frames_at(base::BitRate rate) const {
  const auto full = full_pictures();
  const auto point =
      abr::OperatingPoints{point_settings_}.update({rate, rate}, full.pixels_per_second(), {});
  return {transcoder::scale_picture(full.size, point.scale), full.per_second / point.every,
          full.frame_rate / point.every, full.measured};
}

bool LiveStream::pause(GroupIndex group, base::Time until) {
  if (!ladder_.serves_one(group)) return false;
  if (const auto encoder = media_.group(group)) encoder->pause(until);
  return true;
}

void LiveStream::recover(GroupIndex group, media::FrameRange lost) {
  if (const auto encoder = media_.group(group)) encoder->recover(lost);
}

void LiveStream::reconfigure(ViewerSettings settings) {
  auto replacement = std::make_shared<const ViewerSettings>(std::move(settings));
  std::lock_guard lock{mutex_};
  viewer_settings_ = std::move(replacement);
  ++settings_revision_;
}

std::shared_ptr<const LiveStream::ViewerSettings> LiveStream::viewer_settings() const {
  std::lock_guard lock{mutex_};
  return viewer_settings_;
}

LiveStream::Choice LiveStream::choose(GroupIndex group, base::BitRate rate, base::Time now) {
  const double pixels = full_pictures().pixels_per_second();
  std::lock_guard lock{mutex_};
  auto& rules =
      rules_.try_emplace(group, point_settings_, transcoder::audio_rates(media_settings().audio))
          .first->second;
  const auto point = rules.points.update({rate, viewer_settings_->control.rate.max}, pixels, now);
  return {.point = {.scale = point.scale, .every = point.every},
          .audio_rung = rules.audio.update(rate, now)};
}

void LiveStream::apply(const Choice& choice, transcoder::EncodeGroup& group) {
  group.set_point(choice.point);
  group.set_audio(choice.audio_rung);
}

void LiveStream::open(GroupIndex group, base::BitRate rate) {
  {
    std::lock_guard lock{mutex_};
    rules_.erase(group);  // left from an earlier group with this index
  }
  const auto choice = choose(group, rate, base::Clock::now());
  media_.open_group(group, rate, choice.point);
  if (const auto encoder = media_.group(group)) apply(choice, *encoder);
}

void LiveStream::publish(GroupIndex group, const media::PacketPtr& packet) {
  if (offers_segments()) {
    segments_.publish(group, packet);
  } else if (packet->headers) {
    segments_.init_of(packet->headers);
  }
  server_.publish({index_, group}, packet);
}

void LiveStream::warn(const Ladder::Notices& notices) {
  if (notices.refused) {
    base::log::warning("groups_refused",
                       {{"stream", name()},
                        {"groups", *notices.refused},
                        {"hint",
                         "the CPUs cannot encode more groups in real time, so viewers share; use "
                         "a faster encoder.preset, a smaller video.max_height or more CPUs"}});
  }
  if (notices.open_error.empty()) return;
  if (const auto times = open_failures_.count(base::Clock::now())) {
    base::log::warning("group_not_opened", {{"stream", name()},
                                            {"error", notices.open_error},
                                            {"times", *times},
                                            {"hint", "viewers share the existing groups"}});
  }
}

void LiveStream::close(GroupIndex group) {
  media_.close_group(group);
  segments_.close(group);
  if (media_.state().groups.empty()) segments_.forget_closed();
  server_.close_channel({index_, group});
}

void LiveStream::retarget(GroupIndex group, base::BitRate rate) {
  if (const auto encoder = media_.group(group)) {
    encoder->retarget(rate);
    apply(choose(group, rate, base::Clock::now()), *encoder);
  }
  base::log::debug("group_retargeted", {{"stream", name()}, {"group", group}, {"rate", rate}});
}

media::Pts LiveStream::schedule_keyframe(GroupIndex group, base::Duration earliest) {
  return media_.schedule_keyframe(group, earliest);
}

void LiveStream::move(ViewerId viewer, GroupIndex group, media::Pts at, abr::Reason reason) {
  server_.move_viewer(viewer, {index_, group}, at);
  base::log::debug(
      "viewer_moved",
      {{"viewer", viewer}, {"stream", name()}, {"group", group}, {"reason", abr::name(reason)}});
}

}  // namespace app
