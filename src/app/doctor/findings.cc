#include "app/doctor/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

namespace app {

namespace {

struct Look {
  std::string_view word;
  std::string_view colour;  ///< ANSI SGR
};

Look look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return {"ok", "32"};
    case Verdict::kLimited:
      return {"limited", "33"};
    case Verdict::kMissing:
      return {"missing", "1;31"};
  }
  return {};
}

std::string painted(std::string_view text, std::string_view sgr, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, text) : std::string{text};
}

/// `text` in lines that fit a terminal of 100 columns beside the subjects. It is broken only after
/// a comma or semicolon, because it may contain a command to copy.
std::string beside_subject(std::string_view text) {
  constexpr std::size_t kIndent = 33;
  constexpr std::size_t kWidth = 100 - kIndent;
  std::string out;
  while (text.size() > kWidth) {
    const auto mark = std::max(text.rfind(", ", kWidth - 1) + 1, text.rfind("; ", kWidth - 1) + 1);
    if (mark == 0) break;  // npos + 1
    out += fmt::format("{}\n{:{}}", text.substr(0, mark), "", kIndent);
    text.remove_prefix(mark + 1);
  }
  return out.append(text);
}

std::size_t count(const std::vector<Examination>& examinations, Verdict verdict) {
  std::size_t n = 0;
  for (const auto& examination : examinations) {
    n += static_cast<std::size_t>(
        std::ranges::count(examination.findings, verdict, &Finding::verdict));
  }
  return n;
}

std::string summary(const std::vector<Examination>& examinations) {
  const auto missing = count(examinations, Verdict::kMissing);
  const auto limited = count(examinations, Verdict::kLimited);
  const auto limits = limited == 0   ? std::string{"no limitations"}
                      : limited == 1 ? std::string{"1 limitation"}
                                     : fmt::format("{} limitations", limited);
  return missing == 0 ? fmt::format("Everything necessary is there; {}.", limits)
                      : fmt::format("{} necessary item{} missing; {}.", missing,
                                    missing == 1 ? " is" : "s are", limits);
}

}  // namespace

void print(const std::vector<Examination>& examinations, std::ostream& out, bool colour) {
  for (const auto& [title, findings] : examinations) {
    out << painted(title, "1", colour) << '\n';
    for (const auto& [verdict, subject, detail, remedy] : findings) {
      const auto [word, sgr] = look_of(verdict);
      out << "  " << painted(fmt::format("{:<8}", word), sgr, colour)
          << fmt::format("{:<22} {}\n", subject, beside_subject(detail));
      if (!remedy.empty()) out << fmt::format("{:33}{}\n", "", painted(remedy, "2", colour));
    }
    out << '\n';
  }
  out << summary(examinations) << '\n';
}

bool nothing_missing(const std::vector<Examination>& examinations) {
  return count(examinations, Verdict::kMissing) == 0;
}

}  // namespace app
