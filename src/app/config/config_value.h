#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace app {

/// A setting as written in a file or flag, not yet interpreted. Both are read with the same table
/// of keys (config_keys.h).
struct Value {
  struct Entry;
  using List = std::vector<Value>;
  using Table = std::vector<Entry>;

  std::variant<bool, std::int64_t, double, std::string, List, Table> data;
  std::string place;         ///< "FILE:LINE:COLUMN" or "--FLAG"
  std::string written = {};  ///< a string with ${NAME} as it was before resolved(); else empty
};

struct Value::Entry {
  std::string key;
  std::string place;  ///< of the key
  Value value;
};

/// Thrown for a value that a type does not accept, with its place and the correct form.
/// ConfigReader catches it, adds the key's name and continues with the next key.
struct Rejected {
  std::string place;
  std::string message;
};

}  // namespace app
