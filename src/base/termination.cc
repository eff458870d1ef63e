#include "base/termination.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

namespace base {

namespace {

/// Allocates nothing: there may be no memory.
void print(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void terminate() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
    print("symcast: a fault in the program; please report it\n");
  } catch (const std::bad_alloc&) {
    print(
        "symcast: out of memory: raise MemoryMax= of the systemd unit or the limit of the address "
        "space, or lower groups.max, video.max_height or server.max_viewers\n");
  } catch (const std::exception& error) {
    print("symcast: a fault in the program; please report it: ");
    print(error.what());
    print("\n");
  } catch (...) {
    print("symcast: a fault in the program; please report it\n");
  }
  std::abort();
}

}  // namespace

void explain_termination() { std::set_terminate(terminate); }

}  // namespace base
