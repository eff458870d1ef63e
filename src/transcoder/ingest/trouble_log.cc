#include "transcoder/ingest/trouble_log.h"

#include "base/log.h"
#include "transcoder/ingest/source_trouble.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

/// Of wrong data the detail is the kind; of other troubles it is a hint.
std::pair<SourceTrouble, std::string> key(SourceTrouble trouble, const std::string& detail) {
  return {trouble, trouble == SourceTrouble::kWrongData ? detail : std::string{}};
}

}  // namespace

void TroubleLog::note(const std::map<SourceTrouble, std::string>& troubles, bool playing) {
  for (const auto& [trouble, detail] : troubles) {
    if (!logged_.insert(key(trouble, detail)).second) continue;
    base::log::warning("source_trouble", {{"stream", stream_},
                                          {"trouble", name(trouble)},
                                          {"reason", without_secrets(describe(trouble, detail))}});
  }
  if (!playing) return;
  std::erase_if(logged_, [&](const auto& logged) { return !troubles.contains(logged.first); });
}

}  // namespace transcoder
