#include "app/http/stream_metrics.h"

#include <string>

#include "app/telemetry/names.h"

namespace app {

namespace {

void collect_source(Families& out, const LiveStream::State& stream) {
  const auto& source = stream.media.source;
  const Labels labels{{"stream", stream.name}};
  for (const auto status :
       {transcoder::Ingest::Status::kConnecting, transcoder::Ingest::Status::kPlaying,
        transcoder::Ingest::Status::kStalled, transcoder::Ingest::Status::kWaiting}) {
    out.gauge("symcast_source_status", "1 for the state the source is in",
              {{"stream", stream.name}, {"status", name(status)}}, source.status == status ? 1 : 0);
  }
  for (const auto trouble : transcoder::all_troubles()) {
    out.gauge("symcast_source_trouble", "1 while the source has this trouble, else 0",
              {{"stream", stream.name}, {"trouble", transcoder::name(trouble)}},
              source.troubles.contains(trouble) ? 1 : 0);
  }
  const auto date = [&](const char* metric, const char* help, const auto& time) {
    if (!time) return;
    out.gauge(metric, help, labels,
              std::chrono::duration<double>{time->time_since_epoch()}.count());
  };
  date("symcast_source_away_since_timestamp_seconds",
       "Unix time since which the source has not been playing; absent while it plays",
       stream.away_since);
  date("symcast_source_last_picture_timestamp_seconds",
       "Unix time at which the source delivered its last picture", stream.last_picture);
  out.counter("symcast_source_restarts_total", "Restarts of the source", labels,
              count(source.restarts));
  for (const auto cause : transcoder::all_causes()) {
    const auto ends = source.ends.find(cause);
    out.counter("symcast_source_ends_total", "Times the source was lost, by cause",
                {{"stream", stream.name}, {"cause", transcoder::name(cause)}},
                ends == source.ends.end() ? 0 : count(ends->second));
  }
  out.counter("symcast_source_bytes_total",
              "Video and audio received from the source, without containers", labels,
              count(source.bytes));
  const auto codec = [&](const char* track, const std::string& name) {
    if (name.empty()) return;
    out.gauge("symcast_source_codec_info", "1; the label is the codec of the source",
              {{"stream", stream.name}, {"track", track}, {"codec", name}}, 1);
  };
  codec("video", source.video_codec);
  codec("audio", source.audio_codec);
  if (source.isolation) {
    const auto layer = [&](const char* layer_name, const char* mechanism, bool holds) {
      out.gauge("symcast_source_isolation", "1 if the source's process is confined in this layer",
                {{"stream", stream.name}, {"layer", layer_name}, {"mechanism", mechanism}},
                holds ? 1 : 0);
    };
    const auto [files, calls, memory] = *source.isolation;
    layer("files", transcoder::name(files), files != transcoder::FileBarrier::kNone);
    layer("system_calls", calls ? "seccomp" : "off", calls);
    layer("memory", memory ? "control_group" : "rlimit", memory);
  }
  if (source.use) {
    out.gauge("symcast_source_memory_bytes", "Memory of the source's process (source.memory)",
              labels, static_cast<double>(source.use->memory.bytes()));
    out.gauge("symcast_source_threads", "Threads of the source's process", labels,
              source.use->threads);
    out.counter("symcast_source_cpu_seconds_total", "CPU time of the source's process (source.cpu)",
                labels, base::seconds(source.use->cpu));
  }
  out.counter("symcast_source_frames_total", "Frames received from the source", labels,
              count(source.frames));
  out.counter("symcast_source_frames_repeated_total",
              "Frames repeated while the source was missing", labels,
              count(source.frames_repeated));
  out.counter("symcast_source_frames_dropped_total",
              "Frames dropped because they exceeded the frame rate limit or were out of order",
              labels, count(source.frames_dropped));
  out.counter("symcast_source_timeline_jumps_total", "Jumps of the source's clock", labels,
              count(source.timeline_jumps));
  out.counter("symcast_source_stalls_total",
              "Times frames came more than 1 s late, stayed late after a pause, or came early "
              "afterwards",
              labels, count(source.stalls));
  out.gauge("symcast_source_dejitter_seconds",
            "Longest time a recent frame was held back, because frames arrived in bursts", labels,
            base::seconds(source.longest_wait));
  out.gauge("symcast_source_audio", "1 while audio arrives, else 0", labels,
            source.has_audio ? 1 : 0);
  out.counter("symcast_source_audio_dropped_seconds_total",
              "Audio dropped because it was 2 s off the video, or earlier than the first frame",
              labels, count(source.audio_dropped_samples) / media::kAudioRate);
  out.counter("symcast_source_decode_errors_total",
              "Video and audio frames dropped because they were unreadable or too small", labels,
              count(source.unreadable));
}

void collect_audio(Families& out, const LiveStream::State& stream) {
  const Labels labels{{"stream", stream.name}};
  out.counter("symcast_audio_silence_seconds_total", "Silence inserted where audio was missing",
              labels, count(stream.media.audio.silence_inserted_samples) / media::kAudioRate);
  out.counter("symcast_audio_overlap_seconds_total", "Audio dropped because it arrived twice",
              labels, count(stream.media.audio.overlap_dropped_samples) / media::kAudioRate);
  out.gauge("symcast_audio_encoders", "Audio rates that groups use or used within 3 s", labels,
            stream.media.audio.encoders);
  out.counter("symcast_audio_failures_total", "Audio frames lost because the encoder failed",
              labels, count(stream.media.audio.failures));
}

void collect_group(Families& out, const std::string& stream, std::uint32_t index,
                   const transcoder::EncodeGroup::State& group) {
  const Labels labels{{"stream", stream}, {"group", std::to_string(index)}};
  out.gauge("symcast_group_rate_target_bits_per_second", "Video rate requested from the encoder",
            labels, bits_per_second(group.target));
  out.gauge("symcast_group_rate_actual_bits_per_second", "Video rate over the last second", labels,
            bits_per_second(group.actual));
  out.gauge("symcast_group_audio_rate_bits_per_second", "Audio rate in use; 0 without audio",
            labels, bits_per_second(group.audio));
  out.gauge("symcast_group_height_pixels", "Height of the encoded video", labels,
            group.format.height);
  out.counter("symcast_group_frames_total", "Frames encoded", labels, count(group.frames));
  out.counter("symcast_group_frames_skipped_total",
              "Frames not encoded, to let a viewer's backlog drain", labels,
              count(group.frames_skipped));
  out.counter("symcast_group_paused_seconds_total",
              "Media time of those frames: the picture stood still, the audio went on", labels,
              base::seconds(group.paused));
  out.counter("symcast_group_frames_decimated_total",
              "Frames not encoded because fewer frames look better at this rate", labels,
              count(group.frames_left_out));
  out.counter("symcast_group_frames_late_total",
              "Frames dropped before encoding because the encoder was late", labels,
              count(group.frames_late));
  out.counter("symcast_group_audio_frames_dropped_total", "Audio frames dropped before muxing",
              labels, count(group.audio_dropped));
  out.counter("symcast_group_keyframes_total", "Keyframes encoded", labels, count(group.keyframes));
  out.counter("symcast_group_keyframes_forced_total", "Keyframes forced for a viewer", labels,
              count(group.keyframes_forced));
  out.counter("symcast_group_retargets_total", "Changes of the rate target", labels,
              count(group.retargets));
  out.counter("symcast_group_recovery_frames_total",
              "Frames that do not reference frames discarded for a viewer", labels,
              count(group.recoveries));
  out.counter("symcast_group_failures_total",
              "Video and audio frames lost because scaler, encoder or muxer failed", labels,
              count(group.failures));
  out.counter("symcast_group_bytes_total", "Bytes produced, container included", labels,
              count(group.bytes));
  out.counter("symcast_group_encode_seconds_total", "CPU time of the group's thread", labels,
              base::seconds(group.encode_time));
  if (!group.psnr) return;
  const auto psnr = [&](const char* plane, double value) {
    out.gauge("symcast_group_psnr_decibels", "PSNR of the last frame",
              {{"stream", stream}, {"group", std::to_string(index)}, {"plane", plane}}, value);
  };
  psnr("y", group.psnr->y);
  psnr("u", group.psnr->u);
  psnr("v", group.psnr->v);
}

void collect_ladder(Families& out, const LiveStream::State& stream) {
  for (const auto& [index, group] : stream.ladder.groups) {
    out.gauge("symcast_group_viewers", "Viewers in the group",
              {{"stream", stream.name}, {"group", std::to_string(index)}}, count(group.viewers));
  }
  out.counter("symcast_group_open_failures_total",
              "Failed attempts to open another group; viewers shared the existing ones",
              {{"stream", stream.name}}, count(stream.ladder.opens_failed));
  out.gauge("symcast_groups_max",
            "Maximum of open groups: groups.max, or as many as the CPUs can encode",
            {{"stream", stream.name}}, count(stream.ladder.max_groups));
  if (!stream.preset.empty()) {
    out.gauge("symcast_encoder_preset", "1 for the preset in use (encoder.preset)",
              {{"stream", stream.name}, {"preset", stream.preset}}, 1);
  }
  out.counter("symcast_groups_refused_total",
              "Times the CPUs could not encode all the groups wanted", {{"stream", stream.name}},
              count(stream.ladder.refused));
  out.counter("symcast_groups_shed_total", "Groups closed because the CPUs could not keep up",
              {{"stream", stream.name}}, count(stream.ladder.shed));
  out.counter("symcast_group_plans_total", "Times the groups were planned again for all viewers",
              {{"stream", stream.name}}, count(stream.ladder.plans));
  for (std::size_t i = 0; i < abr::kStandings; ++i) {
    out.gauge("symcast_viewers_by_standing",
              "Viewers whose media prove that they count in the ladder, ask for less than they can "
              "take, or are unproven",
              {{"stream", stream.name}, {"standing", abr::kStandingNames[i]}},
              count(stream.ladder.viewers[i]));
  }
  out.gauge("symcast_viewers", "Current viewers", {{"stream", stream.name}},
            count(stream.viewers()));
  const char* moves = "symcast_group_moves_total";
  const char* help = "Group changes by reason";
  for (const auto reason : {abr::Reason::kMoveDown, abr::Reason::kMoveUp, abr::Reason::kMembers,
                            abr::Reason::kShed, abr::Reason::kMerged}) {
    const auto counted = stream.ladder.moves.find(reason);
    out.counter(moves, help, {{"stream", stream.name}, {"reason", abr::name(reason)}},
                counted == stream.ladder.moves.end() ? 0 : count(counted->second));
  }
}

}  // namespace

void collect_stream(Families& out, const LiveStream::State& stream) {
  collect_source(out, stream);
  collect_audio(out, stream);
  collect_ladder(out, stream);
  for (const auto& [index, group] : stream.media.groups) {
    collect_group(out, stream.name, index, group);
  }
}

}  // namespace app
