#include "transcoder/ingest/source_end.h"

namespace transcoder {

std::span<const SourceEnd::Cause> all_causes() {
  using enum SourceEnd::Cause;
  static constexpr SourceEnd::Cause kAllCauses[] = {kEnded, kRefused,  kLimit, kCrashed,
                                                    kHung,  kProtocol, kStart, kSilent};
  return kAllCauses;
}

const char* name(SourceEnd::Cause cause) {
  switch (cause) {
    case SourceEnd::Cause::kEnded:
      return "ended";
    case SourceEnd::Cause::kRefused:
      return "refused";
    case SourceEnd::Cause::kLimit:
      return "limit";
    case SourceEnd::Cause::kCrashed:
      return "crashed";
    case SourceEnd::Cause::kHung:
      return "hung";
    case SourceEnd::Cause::kProtocol:
      return "protocol";
    case SourceEnd::Cause::kStart:
      return "start";
    case SourceEnd::Cause::kSilent:
      return "silent";
  }
  return "";
}

}  // namespace transcoder
