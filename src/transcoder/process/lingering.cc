#include "transcoder/process/lingering.h"

#include <utility>

namespace transcoder {

void Lingering::add(const std::string& stream, std::unique_ptr<ChildProcess> process) {
  std::lock_guard lock{mutex_};
  processes_[stream].push_back(std::move(process));
}

std::size_t Lingering::count(const std::string& stream) {
  std::lock_guard lock{mutex_};
  const auto found = processes_.find(stream);
  if (found == processes_.end()) return 0;
  std::erase_if(found->second, [](auto& process) { return process->wait(base::Duration{0}); });
  if (!found->second.empty()) return found->second.size();
  processes_.erase(found);
  return 0;
}

}  // namespace transcoder
