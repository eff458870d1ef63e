#include "transcoder/process/child_log.h"

#include <array>

#include "base/log.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

/// An event of the child's log. The names are ours, so that a child cannot write lines of others.
struct NoteFormat {
  const char* event;
  std::array<const char*, wire::kMaxNoteTexts> keys;
};

constexpr NoteFormat format_of(wire::Note::Event event) {
  using Event = wire::Note::Event;
  switch (event) {
    case Event::kGlib:
      return {"glib", {"library", "message", "times"}};
    case Event::kNumbersRestarted:
      return {"source_numbers_restarted", {"playlist", "times"}};
    case Event::kPublisherRefused:
      return {"publisher_refused", {"source", "address", "times", "reason"}};
    case Event::kRedirected:
      return {"source_redirected", {"to", "times"}};
    case Event::kTracksChange:
      return {"source_tracks_change", {"times", "hint"}};
  }
  return {};
}

}  // namespace

void log_note(const std::string& stream, const wire::Note& note) {
  const auto format = format_of(note.event);
  const auto value = [&](std::size_t i) {
    const bool known = format.keys[i] != nullptr && i < note.texts.size();
    return known ? base::log::Field{format.keys[i], without_secrets(note.texts[i])}
                 : base::log::Field{"", ""};
  };
  base::log::warning(format.event, {{"stream", stream}, value(0), value(1), value(2), value(3)});
}

void log_isolation(const Isolation& isolation) {
  const bool complete = isolation.files != FileBarrier::kNone && isolation.system_calls;
  (complete ? base::log::info : base::log::warning)(
      "source_isolation", {{"files", name(isolation.files)},
                           {"system_calls", isolation.system_calls ? "seccomp" : "off"},
                           {"hint", "symcast doctor"}});
}

}  // namespace transcoder
