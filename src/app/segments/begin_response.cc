#include "app/segments/begin_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/segments/declared.h"
#include "app/segments/deferred_response.h"
#include "segments/dash.h"
#include "segments/hls.h"

namespace app {

namespace {

using segments::Rendition;
using segments::Target;
using server::FullResponse;
using server::text_response;

// Segments in the store that the manifest does not offer: the newest, which is being made, and the
// oldest, because players may load a segment for a while after it has left the manifest's window
// (ISO/IEC 23009-1, A.3.2).
constexpr std::size_t kUnofferedSegments = 3;
// From capture to display. Less leaves players that support chunks too small a buffer; more is only
// delay.
constexpr base::Duration kTargetLatency = std::chrono::milliseconds{1500};

// A measured frame rate this close to a nominal one is taken for it, as the source's clock jitters.
// The nearest pair, 24/1.001 and 24, differs by twice as much.
constexpr std::array kNominalFrameRates{24 / 1.001, 24.0, 25.0, 30 / 1.001,
                                        30.0,       50.0, 60.0, 60 / 1.001};
constexpr double kMaxFrameRateError = 0.0005;

double nominal(double rate) {
  if (rate <= 0) return 0;
  const auto* nearest = std::ranges::min_element(kNominalFrameRates, {},
                                                 [&](double r) { return std::abs(r - rate); });
  return std::abs(*nearest / rate - 1) < kMaxFrameRateError ? *nearest : rate;
}

const char* name(segments::Choice choice) {
  return choice == segments::Choice::kServer ? "server" : "player";
}

/// A rendition a player may choose: the one whose rate the server chooses, or a rung of the ladder.
struct Offer {
  Rendition rendition;
  base::BitRate rate;
};

std::vector<Offer> offers(const SegmentSession& session, segments::Choice choice) {
  if (choice == segments::Choice::kServer) return {{Rendition{}, session.rungs().front()}};
  std::vector<Offer> result;
  for (unsigned rung = 0; rung < session.rungs().size(); ++rung) {
    result.push_back({Rendition{Rendition::Kind::kRung, rung}, session.rungs()[rung]});
  }
  return result;
}

/// The response that starts a session. Waits for the stream's headers and its frame rate.
class BeginResponse : public DeferredResponse {
 public:
  BeginResponse(const std::shared_ptr<SegmentSession>& session, BeginRequest request,
                base::Time until)
      : DeferredResponse{session, until}, request_{std::move(request)} {
    session->offer(request_.choice);
  }

 protected:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    auto& stream = session().stream();
    if (!stream.has_measured_frames()) return {};
    const auto newest = stream.segments().newest();
    const auto segment = newest ? session().segment({}, *newest) : std::nullopt;
    if (!segment || !segment->headers) return {};
    return make_list(stream, *segment->headers, offers(session(), request_.choice));
  }
  const BeginRequest& request() const { return request_; }

 private:
  /// The playlist or manifest that lists `offers`; nullopt while it has to wait.
  virtual std::optional<FullResponse> make_list(LiveStream& stream, const media::Headers& headers,
                                                const std::vector<Offer>& offers) = 0;

  const BeginRequest request_;
};

class MultivariantResponse final : public BeginResponse {
 public:
  using BeginResponse::BeginResponse;

 private:
  std::optional<FullResponse> make_list(LiveStream& stream, const media::Headers& headers,
                                        const std::vector<Offer>& offers) override {
    const auto& settings = stream.media_settings();
    segments::MultivariantPlaylist result;
    result.query = request().query;
    if (settings.audio.enabled) {
      result.audio_uri = uri({Rendition::Kind::kAudio, 0});
      result.audio_codec = media::kAudioCodec;
    }
    const auto audio = settings.audio.enabled ? settings.audio.rate : base::BitRate{};
    for (const auto& [rendition, rate] : offers) {
      const auto frames = stream.frames_at(rate);
      result.variants.push_back({.uri = uri(rendition),
                                 .peak = declared_peak(rate + audio),
                                 .average = declared_mean(rate + audio),
                                 .width = frames.size.width,
                                 .height = frames.size.height,
                                 .frame_rate = nominal(frames.frame_rate),
                                 .video_codec = headers.codec});
    }
    return text_response(200, Target{.kind = Target::Kind::kMultivariant}.content_type(),
                         segments::text(result));
  }

  std::string uri(Rendition rendition) const {
    return session().token() + "/" + rendition.text() + "/playlist.m3u8";
  }
};

/// Offers no segment from before the encoder started, and waits until players can start
/// as far behind live as the manifest suggests. The window limits the offer, not Period@start: with
/// that, libavformat takes all segments for too old, because its calc_min_seg_no ignores
/// presentationTimeOffset, and plays them again.
class ManifestResponse final : public BeginResponse {
 public:
  using BeginResponse::BeginResponse;

 private:
  /// How many segments to offer, counted back from the newest.
  std::int64_t offered_count() {
    const auto& store = session().stream().segments();
    const auto newest = store.newest();
    const auto first = session().first_segment();
    if (!newest || !first) return 0;
    return static_cast<std::int64_t>(
        std::min(*newest - *first, store.window() - kUnofferedSegments));
  }

  std::optional<FullResponse> make_list(LiveStream& stream, const media::Headers& headers,
                                        const std::vector<Offer>& offers) override {
    const auto& settings = stream.media_settings();
    const auto& clock = stream.segments().clock();
    // Relative to this manifest. Players resolve the first of them by it, and the last by BaseURL.
    const auto to_session = request().in_session ? "" : session().token() + "/";
    auto location = to_session + "manifest.mpd?abr=" + name(request().choice);
    if (!request().query.empty()) location += "&" + request().query.substr(1);
    segments::Manifest manifest{.epoch = session().date(-clock.origin),
                                .publish = session().date(stream.clock().at(base::Clock::now())),
                                .segment = clock.segment,
                                .chunk = clock.longest_part(),
                                .window = offered_count() * clock.segment,
                                .location = std::move(location),
                                .base_url = to_session,
                                .video = {},
                                .format = headers.format,
                                .audio = {},
                                .utc_timing_uri = "time" + request().query,
                                .query = request().query,
                                .target_latency = kTargetLatency};
    if (manifest.window < presentation_delay(manifest)) return {};
    for (const auto& [rendition, rate] : offers) {
      const auto frames = stream.frames_at(rate);
      manifest.video.push_back({.id = rendition.text(),
                                .bandwidth = declared_peak(rate),
                                .width = frames.size.width,
                                .height = frames.size.height,
                                .frame_rate = nominal(frames.frame_rate),
                                .codec = headers.codec});
    }
    if (settings.audio.enabled) {
      manifest.audio = segments::Representation{.id = Rendition{Rendition::Kind::kAudio, 0}.text(),
                                                .bandwidth = declared_peak(settings.audio.rate),
                                                .codec = media::kAudioCodec};
    }
    return text_response(200, Target{.kind = Target::Kind::kManifest}.content_type(),
                         segments::text(manifest));
  }
};

}  // namespace

std::unique_ptr<server::StreamingResponse> multivariant_response(
    const std::shared_ptr<SegmentSession>& session, BeginRequest request, base::Time until) {
  return std::make_unique<MultivariantResponse>(session, std::move(request), until);
}

std::unique_ptr<server::StreamingResponse> manifest_response(
    const std::shared_ptr<SegmentSession>& session, BeginRequest request, base::Time until) {
  return std::make_unique<ManifestResponse>(session, std::move(request), until);
}

}  // namespace app
