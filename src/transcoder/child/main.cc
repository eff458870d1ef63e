#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "base/unique_fd.h"
#include "transcoder/child/access_gate.h"
#include "transcoder/child/child.h"
#include "transcoder/child/probe.h"
#include "transcoder/wire/descriptors.h"

/// symcast-ingest STREAM: one source of a server, in a process of its own. The server starts it.
/// symcast-ingest --probe [ELEMENT...] prints which of GStreamer's elements are installed.
int main(int count, char** arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with the server's thread that started us
  // _exit: threads of GStreamer run on, and destructors of its libraries would meet them.
  if (count > 1 && std::string_view{arguments[1]} == "--probe") {
    ::_exit(transcoder::probe({arguments + 2, arguments + count}));
  }
  ::prctl(PR_SET_NAME, "symcast-ingest");
  ::close(transcoder::wire::kProgramFd);
  try {
    transcoder::AccessGate gate{base::UniqueFd{transcoder::wire::kAccessFd},
                                base::UniqueFd{transcoder::wire::kLookupFd}};
    ::_exit(transcoder::run_child(base::UniqueFd{transcoder::wire::kMediaFd},
                                  base::UniqueFd{transcoder::wire::kRingFd}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(EXIT_FAILURE);
  }
}
