#include "tcpinfo/ebpf/event_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/capability.h>
#include <sockops_events.skel.h>
#include <tracepoint_events.skel.h>

#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "bpf/event.h"
#include "tcpinfo/ebpf/control_group.h"
#include "tcpinfo/ebpf/libbpf_log.h"
#include "tcpinfo/tcp_info.h"

namespace tcpinfo {

namespace {

// Holds 5461 events (bpf/report.h): 1.8 s of 100 viewers that lose something at every one of 30
// frames a second.
constexpr std::uint32_t kRingBytes = 256 * 1024;

CongestionEvent to_event(const symcast_event& record) {
  CongestionEvent event;
  event.kind = static_cast<EventKind>(record.kind);
  event.at = base::Time{base::Duration{record.time_ns}};  // both are CLOCK_MONOTONIC
  event.cwnd = record.cwnd;
  if (record.ssthresh < kInfiniteSsthresh) event.ssthresh = record.ssthresh;
  event.srtt = std::chrono::microseconds{record.srtt_us};
  event.sacked = record.sacked;
  event.lost = record.lost;
  return event;
}

int on_record(void* callback, void* data, std::size_t size) noexcept {
  symcast_event record;
  if (size < sizeof record) return 0;
  std::memcpy(&record, data, sizeof record);
  const auto& call = *static_cast<const EventPrograms::Callback* const*>(callback);
  (*call)(record.session, to_event(record));
  return 0;
}

/// One ring buffer of the kernel and our end of it.
class Ring {
 public:
  Ring() {
    map_.reset(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "symcast_events", 0, 0, kRingBytes, nullptr));
    if (map_) reader_.reset(ring_buffer__new(map_.get(), on_record, &callback_, nullptr));
  }
  // The reader keeps the address of callback_.
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  explicit operator bool() const { return reader_ != nullptr; }
  int fd() const { return map_.get(); }
  void read(const EventPrograms::Callback& callback) {
    callback_ = &callback;
    ring_buffer__consume(reader_.get());
  }

 private:
  struct Free {
    void operator()(ring_buffer* reader) const { ring_buffer__free(reader); }
  };

  const EventPrograms::Callback* callback_ = nullptr;
  base::UniqueFd map_;
  std::unique_ptr<ring_buffer, Free> reader_;
};

/// Attaches what the skeleton's programs say of themselves.
int attach(tracepoint_events& skeleton) { return tracepoint_events::attach(&skeleton); }

int attach(sockops_events& skeleton) {
  const base::UniqueFd group{open_control_group()};
  if (!group) return -errno;
  // A link, so that others may attach theirs, and so that it ends with the process.
  skeleton.links.on_socket = bpf_program__attach_cgroup(skeleton.progs.on_socket, group.get());
  return skeleton.links.on_socket ? 0 : -errno;
}

/// `Skeleton`: made by bpftool from one of the programs, which have the same maps.
template <typename Skeleton>
class Programs final : public EventPrograms {
 public:
  /// 0, or a negative errno.
  int load(int rings) {
    skeleton_.reset(Skeleton::open());
    if (!skeleton_) return -errno;
    if (const int error = Skeleton::load(skeleton_.get())) return error;
    for (int i = 0; i < rings; ++i) {
      rings_.push_back(std::make_unique<Ring>());
      if (!*rings_.back()) return -errno;
      const auto index = static_cast<std::uint32_t>(i);
      const int fd = rings_.back()->fd();
      const int outer = bpf_map__fd(skeleton_->maps.rings);
      if (const int error = bpf_map_update_elem(outer, &index, &fd, BPF_ANY)) return error;
    }
    return attach(*skeleton_);
  }

  bool watch(int fd, std::uint64_t session, int ring) override {
    const symcast_watch value{.session = session, .ring = static_cast<std::uint32_t>(ring)};
    return bpf_map_update_elem(bpf_map__fd(skeleton_->maps.watches), &fd, &value, BPF_ANY) == 0;
  }

  int fd(int ring) const override { return at(ring).fd(); }
  void read(int ring, const Callback& callback) override { at(ring).read(callback); }
  std::uint64_t lost(int ring) const override {
    return __atomic_load_n(&skeleton_->bss->lost[ring], __ATOMIC_RELAXED);
  }

 private:
  struct Destroy {
    void operator()(Skeleton* skeleton) const { Skeleton::destroy(skeleton); }
  };

  Ring& at(int ring) const { return *rings_[static_cast<std::size_t>(ring)]; }

  std::unique_ptr<Skeleton, Destroy> skeleton_;
  std::vector<std::unique_ptr<Ring>> rings_;
};

template <typename Skeleton>
base::Result<std::unique_ptr<EventPrograms>> load_programs(int rings,
                                                           std::initializer_list<int> needs) {
  const LibbpfLog log;
  auto programs = std::make_unique<Programs<Skeleton>>();
  if (const int error = programs->load(rings)) {
    return base::Error{log.explain(-error, needs)};
  }
  return std::unique_ptr<EventPrograms>{std::move(programs)};
}

}  // namespace

base::Result<std::unique_ptr<EventPrograms>> EventPrograms::load(EventSource source, int rings) {
  if (rings > SYMCAST_MAX_RINGS) {
    return base::Error{"pushed events serve at most 64 event loops: lower server.threads"};
  }
  if (source == EventSource::kSockops) {
    return load_programs<sockops_events>(rings, {CAP_BPF, CAP_NET_ADMIN});
  }
  return load_programs<tracepoint_events>(rings, {CAP_BPF, CAP_PERFMON});
}

}  // namespace tcpinfo
