#include "app/top/terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/system_error.h"

namespace app {

namespace {

sigset_t ending() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&set, signal);
  return set;
}

base::UniqueFd take_signals() {
  const auto set = ending();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return base::UniqueFd{base::check("signalfd", ::signalfd(-1, &set, SFD_CLOEXEC))};
}

/// Returns the previous terminal settings; null if standard input is no terminal.
std::unique_ptr<termios> take_keys() {
  auto before = std::make_unique<termios>();
  if (::tcgetattr(STDIN_FILENO, before.get()) != 0) return nullptr;
  termios keys = *before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  return before;
}

/// Reads the signal: a pending one would be delivered once it is unblocked.
bool took_signal(int fd) {
  signalfd_siginfo taken{};
  return ::read(fd, &taken, sizeof taken) == sizeof taken;
}

bool pressed_q() {
  std::array<char, 64> keys{};
  const auto got = ::read(STDIN_FILENO, keys.data(), keys.size());
  return got <= 0 || std::find(keys.begin(), keys.begin() + got, 'q') != keys.begin() + got;
}

}  // namespace

Terminal::Terminal()
    : is_one_{::isatty(STDOUT_FILENO) == 1},
      signals_{take_signals()},
      before_{is_one_ ? take_keys() : nullptr} {}

Terminal::~Terminal() {
  if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, before_.get());
  const auto set = ending();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

TableSize Terminal::size() const {
  winsize window{};
  if (!is_one_ || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return {.columns = window.ws_col, .rows = window.ws_row};
}

bool Terminal::wait_until(base::Time time) const {
  std::array<pollfd, 2> inputs{
      {{signals_.get(), POLLIN, 0}, {before_ ? STDIN_FILENO : -1, POLLIN, 0}}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - base::Clock::now());
    if (left.count() <= 0) return true;
    ::poll(inputs.data(), inputs.size(), static_cast<int>(left.count()));
    if (inputs[0].revents != 0 && took_signal(signals_.get())) return false;
    if (inputs[1].revents != 0 && pressed_q()) return false;
  }
}

}  // namespace app
