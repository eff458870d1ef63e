#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace base {

/// A failed system call at start-up: what was attempted, and errno.
class SystemError : public std::system_error {
 public:
  explicit SystemError(const std::string& attempt, int error = errno)
      : std::system_error{error, std::generic_category(), attempt} {}
};

/// The value of a system call that returns -1 on failure.
inline int check(const std::string& attempt, int value) {
  if (value < 0) throw SystemError{attempt};
  return value;
}

}  // namespace base
