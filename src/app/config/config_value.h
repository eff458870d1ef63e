#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace app {

/// A setting as written, before it is understood: from a file or from a flag, it is read by the
/// same table of keys (config_keys.h).
struct Value {
  struct Entry;
  using List = std::vector<Value>;
  using Table = std::vector<Entry>;

  std::variant<bool, std::int64_t, double, std::string, List, Table> data;
  std::string place;  ///< "FILE:LINE:COLUMN" or "--FLAG"
};

struct Value::Entry {
  std::string key;
  std::string place;  ///< of the key
  Value value;
};

/// Thrown for a value that a type does not take: where, and what would be right. The reader of the
/// configuration catches it, adds the key's name, and goes on to find the other errors.
struct Rejected {
  std::string place;
  std::string message;
};

}  // namespace app
