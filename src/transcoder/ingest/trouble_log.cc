#include "transcoder/ingest/trouble_log.h"

#include "base/log.h"
#include "transcoder/ingest/source_trouble.h"
#include "transcoder/secrets.h"

namespace transcoder {

void TroubleLog::note(const std::map<SourceTrouble, std::string>& troubles, bool playing) {
  for (const auto& [trouble, detail] : troubles) {
    if (!told_.insert(trouble).second) continue;
    base::log::warning("source_trouble", {{"stream", stream_},
                                          {"trouble", name(trouble)},
                                          {"reason", without_secrets(describe(trouble, detail))}});
  }
  if (!playing) return;
  std::erase_if(told_, [&](SourceTrouble told) { return !troubles.contains(told); });
}

}  // namespace transcoder
