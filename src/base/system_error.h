#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace base {

/// A system call that failed at start-up: the attempted operation and errno.
class SystemError : public std::system_error {
 public:
  explicit SystemError(const std::string& attempt, int error = errno)
      : std::system_error{error, std::generic_category(), attempt} {}
};

/// Passes on `value`, the result of a system call. Throws SystemError if it is negative.
inline int check(const std::string& attempt, int value) {
  if (value < 0) throw SystemError{attempt};
  return value;
}

}  // namespace base
