#pragma once

#include <iosfwd>
#include <string>
#include <vector>

/// What `symcast doctor` found.
namespace app {

enum class Verdict {
  kOk,
  kLimited,  ///< symcast runs, with less
  kMissing,  ///< symcast cannot do its work
};

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string subject;
  std::string detail;
  std::string remedy = {};  ///< how to mend it, or what follows; empty: nothing to do
};
using Findings = std::vector<Finding>;

struct Examination {
  std::string title;
  Findings findings;
};

/// One line for each finding and one for its remedy; the verdicts in colour on a terminal.
void print(const std::vector<Examination>& examinations, std::ostream& out, bool colour);

bool nothing_missing(const std::vector<Examination>& examinations);

}  // namespace app
