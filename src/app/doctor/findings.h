#pragma once

#include <iosfwd>
#include <string>
#include <vector>

/// Findings of `symcast doctor`.
namespace app {

enum class Verdict {
  kOk,
  kLimited,  ///< symcast runs, but not at its best
  kMissing,  ///< symcast cannot work
};

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string subject;
  std::string detail;
  std::string remedy = {};  ///< how to fix it, or its consequence; empty if there is nothing to do
};
using Findings = std::vector<Finding>;

struct Examination {
  std::string title;
  Findings findings;
};

/// Prints a line per finding, and its remedy below. `colour`: verdicts are coloured.
void print(const std::vector<Examination>& examinations, std::ostream& out, bool colour);

bool nothing_missing(const std::vector<Examination>& examinations);

}  // namespace app
