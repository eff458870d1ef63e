#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "transcoder/wire/channel.h"
#include "transcoder/wire/descriptors.h"
#include "transcoder/wire/message.h"
#include "transcoder/wire/ring.h"

// A source's process that may be in the hands of a stranger. Its argument says what it does.

namespace {

using namespace std::chrono_literals;
using namespace transcoder::wire;
using transcoder::SourceEnd;

const media::PictureFormat kFormat{.width = 64, .height = 36};

class Liar {
 public:
  Liar() : channel_{base::UniqueFd{kMediaFd}} {
    const auto received = channel_.receive(Channel::Wait::kForever);
    const auto message = decode_from_daemon(received->message);
    ring_ = std::make_unique<RingWriter>(base::UniqueFd{kRingFd}, std::get<Start>(*message).video);
  }

  void send(FromChild message) { send(encode(std::move(message))); }
  void send(const std::vector<std::uint8_t>& bytes) {
    if (channel_.send(bytes, Channel::Wait::kForever) != Channel::Sent::kDone) ::_exit(9);
  }

  void picture(std::size_t slot, base::Duration pts, media::PictureFormat format = kFormat) {
    send(Picture{.slot = slot, .format = format, .pts = pts, .captured = base::Clock::now()});
  }

  /// As an honest process does it.
  void copy(base::Duration pts) {
    static std::vector<std::uint8_t> pixels(64 * 36 * 2, 77);
    media::Frame frame{.format = kFormat};
    frame.plane = {pixels.data(), pixels.data(), pixels.data()};
    frame.stride = {64, 32, 32};
    auto kept = ring_->copy(frame);
    if (!kept) return send(Dropped{1});
    picture(ring_->slot(*kept), pts);
    ring_->announced(*kept);
  }

  void send_descriptor() {
    char control[CMSG_SPACE(sizeof(int))]{};
    char byte = 0;
    iovec data{.iov_base = &byte, .iov_len = 1};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = STDERR_FILENO;
    std::memcpy(CMSG_DATA(first), &descriptor, sizeof descriptor);
    ::sendmsg(channel_.fd(), &header, 0);
  }

  /// Until it is killed, or asked to stop.
  void wait() {
    if (channel_.receive(Channel::Wait::kForever)->status == Channel::Received::Status::kMessage) {
      ::_exit(0);
    }
    ::pause();
  }

 private:
  Channel channel_;
  std::unique_ptr<RingWriter> ring_;
};

const std::map<std::string, std::function<void(Liar&)>> kDeeds{
    {"plays",
     [](Liar& liar) {
       for (int i = 0; i < 3; ++i) liar.copy(i * 40ms);
       liar.send(Audio{{.values = {0.5, -0.5}}, base::Clock::now()});
       liar.send(transcoder::wire::Report{{.bytes = 7, .video_codec = "X"}});
       liar.send(Unreadable{2});
       liar.send(Gap{base::Clock::now() + 5s});
       liar.wait();
     }},
    {"is redirected",
     [](Liar& liar) {
       liar.send(
           Note{Note::Event::kRedirected, {"http://user:pass@host/", "3", "more", "and more"}});
       liar.send(Note{Note::Event::kPublisherRefused, {"srt://:9000"}});
       liar.send(Unreadable{1});
       liar.wait();
     }},
    {"ends",
     [](Liar& liar) {
       liar.send(End{{"the file ends", SourceEnd::Cause::kRefused}});
     }},
    {"exits", [](Liar&) { ::_exit(3); }},
    {"crashes",
     [](Liar&) {
       const rlimit none{};
       ::setrlimit(RLIMIT_CORE, &none);
       ::signal(SIGSEGV, SIG_DFL);
       ::raise(SIGSEGV);
     }},
    {"allocates",
     [](Liar& liar) {  // a real one cannot: it has bounded itself
       std::vector<char> memory(512 << 20, 'x');
       liar.wait();
       std::cerr << memory.back();
     }},
    {"starts threads",
     [](Liar& liar) {
       std::vector<std::jthread> threads;
       for (int i = 0; i < 130; ++i) threads.emplace_back([] { ::pause(); });
       liar.wait();
     }},
    {"stops", [](Liar&) { ::raise(SIGSTOP); }},
    {"ignores a stop",
     [](Liar& liar) {
       liar.send(Unreadable{1});
       for (;; ::usleep(100'000)) liar.send(transcoder::wire::Report{});
     }},
    {"says hello twice", [](Liar& liar) { liar.send(Hello{}), liar.wait(); }},
    {"uses a slot twice",
     [](Liar& liar) { liar.picture(0, 0s), liar.picture(0, 40ms), liar.wait(); }},
    {"uses a slot that is not there",
     [](Liar& liar) {
       auto bytes = encode(FromChild{Picture{.format = kFormat}});
       bytes[1] = 200;  // behind the kind of message
       liar.send(bytes);
       liar.wait();
     }},
    {"sends a huge picture",
     [](Liar& liar) { liar.picture(0, 0s, {.width = 9000, .height = 20}), liar.wait(); }},
    {"sends a message that is cut",
     [](Liar& liar) {
       auto bytes = encode(FromChild{Unreadable{2}});
       bytes.pop_back();
       liar.send(bytes);
       liar.wait();
     }},
    {"sends a descriptor", [](Liar& liar) { liar.send_descriptor(), liar.wait(); }},
    {"floods",
     [](Liar& liar) {
       for (;;) liar.send(transcoder::wire::Report{});
     }},
};

/// Takes its time.
int probe() {
  const char* const begins = std::getenv("GST_LIAR_PROBE");
  if (begins == nullptr) return 0;
  std::ofstream{begins, std::ios::app} << 'x';
  std::this_thread::sleep_for(200ms);
  return 0;
}

}  // namespace

int main(int /*count*/, char** arguments) {
  const std::string deed{arguments[1]};
  if (deed == "--probe") return probe();
  Liar liar;
  if (deed == "says nothing") liar.wait();
  if (deed == "does not say hello") liar.send(Unreadable{1});
  liar.send(Hello{});
  if (const auto found = kDeeds.find(deed); found != kDeeds.end()) found->second(liar);
  ::_exit(0);
}
