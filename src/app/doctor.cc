#include "app/doctor.h"

#include <ostream>
#include <vector>

#include "app/doctor_kernel.h"
#include "app/doctor_machine.h"
#include "app/doctor_media.h"
#include "app/findings.h"
#include "app/version.h"

namespace app {

bool doctor(const Config& config, std::ostream& out, bool colour) {
  const std::vector<Examination> examinations{
      {"TCP", examine_kernel(config)},
      {"Sources", examine_sources()},
      {"Encoders", examine_encoders()},
      {"Machine", examine_machine(config)},
  };
  out << "symcast " << kVersion << "\n\n";
  print(examinations, out, colour);
  return nothing_missing(examinations);
}

}  // namespace app
