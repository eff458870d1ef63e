#include "transcoder/child/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/log.h"
#include "transcoder/access/scheme.h"
#include "transcoder/child/access_gate.h"
#include "transcoder/child/confinement.h"
#include "transcoder/child/picture_gate.h"
#include "transcoder/child/received.h"
#include "transcoder/child/self_limits.h"
#include "transcoder/child/uri_guard.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/gst/gst_source.h"
#include "transcoder/gst/refusal.h"
#include "transcoder/wire/channel.h"
#include "transcoder/wire/message.h"
#include "transcoder/wire/ring.h"

namespace transcoder {

namespace {

using wire::Channel;

/// Between two reports: as often as Supervisor reads them.
constexpr int kReportMs = 200;

/// Before the first data of the source, connections carry heads and descriptions of some KB, or a
/// playlist, which is read whole first (http_source).
constexpr std::uint64_t kMaxWithoutData = 32 << 20;

/// The events of the source, as messages. A full socket means that the server is held up, and
/// waits: the pipeline's own queues are bounded.
class Messages final : public Source::Listener {
 public:
  Messages(std::shared_ptr<Channel> channel, std::shared_ptr<wire::RingWriter> ring)
      : channel_{std::move(channel)}, ring_{std::move(ring)} {}

  void on_picture(media::Frame picture) override {
    send(wire::Picture{.slot = ring_->slot(picture),
                       .format = picture.format,
                       .pts = picture.pts,
                       .captured = picture.captured});
    ring_->announced(picture);
  }

  void on_audio(media::Samples samples, base::Time captured) override {
    for (auto& message : wire::audio_messages(samples, captured)) send(std::move(message));
  }

  void on_gap(base::Time until) override { send(wire::Gap{until}); }
  void on_unreadable(std::uint64_t count) override { send(wire::Unreadable{count}); }
  void on_dropped(std::uint64_t count) override { send(wire::Dropped{count}); }

  void on_end(SourceEnd end) override {
    send(wire::End{std::move(end)});
    ::_exit(EXIT_SUCCESS);
  }

  void refused(std::string reason) const {
    send(wire::End{{std::move(reason), SourceEnd::Cause::kRefused}});
    ::_exit(EXIT_SUCCESS);
  }

  void send(wire::FromChild message) const {
    if (channel_->send(wire::encode(std::move(message)), Channel::Wait::kForever) !=
        Channel::Sent::kDone) {
      ::_exit(EXIT_FAILURE);  // the server has gone
    }
  }

 private:
  const std::shared_ptr<Channel> channel_;
  const std::shared_ptr<wire::RingWriter> ring_;
};

/// The last message of a process without memory, which is ready: it needs some.
class OutOfMemory {
 public:
  static void prepare(std::shared_ptr<Channel> channel, base::ByteCount limit) {
    static OutOfMemory instance{std::move(channel), limit};
    prepared_ = &instance;
    std::set_new_handler(end);
  }

  [[noreturn]] static void end() {
    if (prepared_) prepared_->channel_->send(prepared_->message_, Channel::Wait::kForever);
    ::_exit(EXIT_FAILURE);
  }

 private:
  OutOfMemory(std::shared_ptr<Channel> channel, base::ByteCount limit)
      : channel_{std::move(channel)},
        message_{wire::encode(wire::End{
            {fmt::format("its process needs more memory than source.memory allows ({} MB)",
                         limit.bytes() >> 20),
             SourceEnd::Cause::kLimit}})} {}

  static inline OutOfMemory* prepared_ = nullptr;
  const std::shared_ptr<Channel> channel_;
  const std::vector<std::uint8_t> message_;
};

/// The log of the code that runs here goes to the server, which knows these events.
void send_note(const Messages& messages, std::string_view event, base::log::Fields fields) {
  using Event = wire::Note::Event;
  static constexpr std::pair<std::string_view, Event> kEvents[] = {
      {"glib", Event::kGlib},
      {"source_numbers_restarted", Event::kNumbersRestarted},
      {"publisher_refused", Event::kPublisherRefused},
      {"source_redirected", Event::kRedirected},
      {"source_tracks_change", Event::kTracksChange}};
  const auto* known = std::ranges::find(kEvents, event, [](const auto& e) { return e.first; });
  if (known == std::end(kEvents)) return;
  wire::Note note{.event = known->second};
  for (const auto& field : fields) {
    // GLib says so before it aborts.
    const bool aborts = field.value().find("failed to allocate") != std::string::npos;
    if (aborts && note.event == Event::kGlib) OutOfMemory::end();
    note.texts.push_back(field.value());
  }
  messages.send(std::move(note));
}

/// Waits for the settings. Throws std::runtime_error.
wire::Start receive_start(Channel& channel) {
  const auto received = channel.receive(Channel::Wait::kForever);
  if (!received) throw std::runtime_error{received.error()};
  if (received->status != Channel::Received::Status::kMessage) {
    throw std::runtime_error{"the server has gone"};
  }
  auto message = wire::decode_from_daemon(received->message);
  if (!message) throw std::runtime_error{message.error()};
  if (auto* start = std::get_if<wire::Start>(&*message)) return std::move(*start);
  throw std::runtime_error{"no start"};
}

/// Reports until the server asks for the end, or has gone. `launched`: the pipeline is the
/// operator's own, and data may be seen late.
void report(const Source& source, const Messages& messages, const Channel& channel, bool launched) {
  pollfd end{.fd = channel.fd(), .events = POLLIN, .revents = 0};
  while (::poll(&end, 1, kReportMs) == 0) {
    auto report = source.report();
    if (!launched && !report.data && received_bytes > kMaxWithoutData) {
      messages.refused(
          fmt::format("the server at this address has sent more than {} MB, but no media",
                      kMaxWithoutData >> 20));
    }
    messages.send(wire::Report{std::move(report)});
  }
}

}  // namespace

int run_child(base::UniqueFd media, base::UniqueFd ring_memory) {
  const auto channel = std::make_shared<Channel>(std::move(media));
  const auto start = receive_start(*channel);
  limit_self(start.source.memory);
  const auto ring = std::make_shared<wire::RingWriter>(std::move(ring_memory), start.video);
  const auto messages = std::make_shared<Messages>(channel, ring);
  base::log::redirect(
      [messages](base::log::Level, std::string_view event, base::log::Fields fields) {
        send_note(*messages, event, fields);
      });
  OutOfMemory::prepare(channel, start.source.memory);
  const bool launched = start.source.uri.starts_with("gst:");
  if (auto* const gate = AccessGate::active()) {
    gate->on_refused([messages](std::string reason) { messages->refused(std::move(reason)); });
    if (launched) gate->permit_local_sockets();
  }
  const auto refuse = [messages](std::string reason) { messages->refused(std::move(reason)); };
  limit_pictures(start.source.max_size, refuse);
  on_refusal(refuse);
  if (const auto scheme = access::scheme_of(start.source.uri);
      scheme == "http" || scheme == "https") {
    explain_unreadable([] { return http_answer().problem(); });
  }
  messages->send(wire::Hello{confine(start.source.uri, start.folders)});
  GstSource source{start.source, start.video,
                   [ring](const media::Frame& frame) { return ring->copy(frame); }};
  source.start(messages);
  report(source, *messages, *channel, launched);
  source.stop();
  return EXIT_SUCCESS;
}

}  // namespace transcoder
