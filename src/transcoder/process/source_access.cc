#include "transcoder/process/source_access.h"

#include <utility>

#include "base/log.h"
#include "transcoder/secrets.h"
#include "transcoder/wire/channel.h"
#include "transcoder/wire/codec.h"
#include "transcoder/wire/printable.h"

namespace transcoder {

namespace {

/// The text in one line of the log.
std::string shown(const std::string& text) {
  return wire::printable(without_secrets(text), wire::kMaxText);
}

}  // namespace

std::shared_ptr<StreamAccesses::Entry> StreamAccesses::of(const std::string& stream,
                                                          base::Time now) {
  std::lock_guard lock{mutex_};
  std::erase_if(entries_, [&](const auto& one) {
    const auto& [name, entry] = one;
    return name != stream && entry.use_count() == 1 && now - entry->used.load() >= kKept;
  });
  auto& entry = entries_[stream];
  if (!entry) entry = std::make_shared<Entry>();
  entry->used = now;
  return entry;
}

SourceAccess::SourceAccess(std::string stream, const SourceSettings& source,
                           std::shared_ptr<StreamAccesses::Entry> entry)
    : stream_{std::move(stream)}, entry_{std::move(entry)} {
  auto [ours, theirs] = wire::channel_sockets();
  auto [our_lookup, their_lookup] = wire::channel_sockets();
  access_ = std::move(theirs);
  lookup_ = std::move(their_lookup);
  broker_.emplace(access::access_rules(source),
                  std::shared_ptr<access::StreamAccess>{entry_, &entry_->access}, std::move(ours),
                  std::move(our_lookup), *this);
}

SourceAccess::~SourceAccess() { entry_->used = base::Clock::now(); }

void SourceAccess::release() {
  access_.reset();
  lookup_.reset();
}

std::string SourceAccess::broken() const {
  std::lock_guard lock{mutex_};
  return broken_;
}

void SourceAccess::on_refused(const access::Refusal& refusal) {
  if (const auto times = entry_->refused.count(base::Clock::now())) {
    base::log::warning("source_address_refused", {{"stream", stream_},
                                                  {"address", shown(refusal.place)},
                                                  {"reason", shown(refusal.reason)},
                                                  {"times", *times}});
  }
}

void SourceAccess::on_broken(std::string how) {
  std::lock_guard lock{mutex_};
  broken_ = std::move(how);
}

}  // namespace transcoder
