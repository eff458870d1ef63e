#include "app/doctor.h"

#include <vector>

#include "app/doctor_kernel.h"
#include "app/doctor_machine.h"
#include "app/doctor_media.h"
#include "app/findings.h"

namespace app {

bool doctor(const Config& config, std::ostream& out, bool colour) {
  const std::vector<Examination> examinations{
      {"TCP", examine_kernel(config)},
      {"Sources", examine_sources()},
      {"Encoders", examine_encoders()},
      {"Machine", examine_machine(config)},
  };
  print(examinations, out, colour);
  return nothing_missing(examinations);
}

}  // namespace app
