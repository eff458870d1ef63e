#include "base/capabilities.h"

#include <cstdint>
#include <fstream>
#include <string>

namespace base {

bool holds_capability(int capability) {
  std::ifstream status{"/proc/self/status"};  // proc(5)
  for (std::string key; status >> key;) {
    std::uint64_t bits = 0;
    if (key == "CapEff:" && status >> std::hex >> bits) return (bits >> capability & 1) != 0;
  }
  return false;
}

}  // namespace base
