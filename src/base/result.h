#pragma once

#include <string>
#include <utility>
#include <variant>

namespace base {

/// Why an operation failed: one line that says what, where, and how to fix it.
struct Error {
  std::string message;
};

/// A value or an Error. Code that runs in the steady state returns it; start-up code throws
/// instead.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_{std::move(value)} {}
  Result(Error error) : state_{std::move(error)} {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  const std::string& error() const { return std::get<Error>(state_).message; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace base
