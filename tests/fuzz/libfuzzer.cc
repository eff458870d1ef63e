#include "fuzz/target.h"

// libFuzzer calls this in its own main(). One program has one target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::targets().front().run(fuzz::Input{data, size});
  return 0;
}
