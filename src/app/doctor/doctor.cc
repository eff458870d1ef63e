#include "app/doctor/doctor.h"

#include <ostream>
#include <vector>

#include "app/doctor/doctor_kernel.h"
#include "app/doctor/doctor_machine.h"
#include "app/doctor/doctor_media.h"
#include "app/doctor/doctor_proxies.h"
#include "app/doctor/doctor_streams.h"
#include "app/doctor/findings.h"

namespace app {

bool doctor(const Config& config, std::string_view version, std::ostream& out, bool colour) {
  const std::vector<Examination> examinations{
      {"TCP", examine_kernel(config)},
      {"Sources", examine_sources()},
      {"Encoders", examine_encoders()},
      {"Machine", examine_machine(config)},
      {"Network", examine_proxies(config, local_connections(config))},
      {"Configured sources", examine_stream_sources(config)},
      {"Configured encoders", examine_stream_encoders(config)},
  };
  out << "symcast " << version << "\n\n";
  print(examinations, out, colour);
  return nothing_missing(examinations);
}

}  // namespace app
