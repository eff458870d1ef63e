#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/unique_fd.h"
#include "transcoder/child/child.h"
#include "transcoder/wire/descriptors.h"

/// symcast-ingest: one source of a server, in a process of its own. The server starts it.
int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with the server's thread that started us
  ::prctl(PR_SET_NAME, "symcast-ingest");
  ::close(transcoder::wire::kProgramFd);
  try {
    // _exit: threads of GStreamer run on, and destructors of its libraries would meet them.
    ::_exit(transcoder::run_child(base::UniqueFd{transcoder::wire::kMediaFd},
                                  base::UniqueFd{transcoder::wire::kRingFd}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(EXIT_FAILURE);
  }
}
