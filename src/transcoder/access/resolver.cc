#include "transcoder/access/resolver.h"

#include <netdb.h>
#include <sys/eventfd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "transcoder/handle.h"

namespace transcoder::access {

namespace {

using AddressesHandle = Handle<addrinfo, freeaddrinfo>;

/// Hosts that are remembered. A source that names more asks again.
constexpr std::size_t kMaxHosts = 64;

}  // namespace

struct Resolver::State {
  struct Known {
    Answer answer;
    base::Time at;
  };

  explicit State(Resolve how) : resolve{std::move(how)} {}

  void look_up(const std::string& name) {
    auto answer = resolve(name);
    std::lock_guard lock{mutex};
    if (known.size() >= kMaxHosts) known.clear();
    known[name] = {std::move(answer), base::Clock::now()};
    busy = false;
    if (const auto asker = waker.lock()) asker->wake();
  }

  const Resolve resolve;
  std::mutex mutex;
  std::weak_ptr<Waker> waker;          // GUARDED_BY(mutex)
  std::map<std::string, Known> known;  // GUARDED_BY(mutex)
  bool busy = false;                   // GUARDED_BY(mutex); the thread runs
};

Resolver::Resolver(Resolve resolve) : state_{std::make_shared<State>(std::move(resolve))} {}

Resolver::Waker::Waker()
    : event_{base::check("eventfd", ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))} {}

void Resolver::Waker::wake() { ::eventfd_write(event_.get(), 1); }

void Resolver::Waker::clear() {
  eventfd_t count = 0;
  ::eventfd_read(event_.get(), &count);
}

std::optional<Resolver::Answer> Resolver::answer(const std::string& name, base::Time now,
                                                 const std::shared_ptr<Waker>& waker) {
  std::lock_guard lock{state_->mutex};
  auto& known = state_->known;
  std::erase_if(known, [&](const auto& k) { return now - k.second.at >= kAnswerLifetime; });
  if (const auto found = known.find(name); found != known.end()) return found->second.answer;
  state_->waker = waker;
  if (std::exchange(state_->busy, true)) return std::nullopt;
  try {
    std::thread{[state = state_, name] { state->look_up(name); }}.detach();
  } catch (const std::system_error&) {  // no thread
    state_->busy = false;
    return Answer{.error = EAI_AGAIN};
  }
  return std::nullopt;
}

Resolver::Answer Resolver::by_name_service(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;  // otherwise each address comes three times
  addrinfo* found = nullptr;
  Answer answer{.error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found)};
  const AddressesHandle addresses{found};
  for (const auto* a = found; answer.error == 0 && a != nullptr; a = a->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, a->ai_addr, a->ai_addrlen);
    answer.addresses.push_back(base::Address::of(storage));
  }
  return answer;
}

}  // namespace transcoder::access
