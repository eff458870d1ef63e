#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/config/config.h"
#include "app/config/config_value.h"
#include "base/result.h"

namespace app {

/// Finds the secrets that a configuration names as ${NAME}: in systemd's credentials, in the
/// environment, or in the file secrets.toml beside the configuration, in this order.
class SecretStore {
 public:
  SecretStore(std::filesystem::path file, Secrets needed)
      : file_{std::move(file)}, needed_{needed} {}

  /// The value, which transcoder::without_secrets() hides from then on. Else the reason, without
  /// any value, and the cure.
  base::Result<std::string> find(const std::string& name);

 private:
  const std::map<std::string, std::string>& in_file();

  const std::filesystem::path file_;
  const Secrets needed_;
  /// Read when it is first needed, so that its rights matter only then.
  std::optional<std::map<std::string, std::string>> file_values_;
  std::string file_error_;
};

/// `value` with each ${NAME} in its strings replaced; $${ stands for ${. Throws Rejected.
Value resolved(Value value, SecretStore& secrets);

}  // namespace app
