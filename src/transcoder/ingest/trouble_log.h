#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transcoder/source.h"

namespace transcoder {

/// Logs each trouble of a source once, and each kind of wrong data: again only after it has been
/// away while the source played. Used on one thread.
class TroubleLog {
 public:
  explicit TroubleLog(std::string stream) : stream_{std::move(stream)} {}

  void note(const std::map<SourceTrouble, std::string>& troubles, bool playing);

 private:
  const std::string stream_;
  std::set<std::pair<SourceTrouble, std::string>> logged_;
};

}  // namespace transcoder
