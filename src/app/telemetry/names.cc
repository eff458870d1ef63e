#include "app/telemetry/names.h"

namespace app {

const char* name(server::LeaveReason reason) {
  switch (reason) {
    case server::LeaveReason::kClosedByViewer:
      return "closed_by_viewer";
    case server::LeaveReason::kStalled:
      return "stalled";
    case server::LeaveReason::kSocketError:
      return "socket_error";
    case server::LeaveReason::kStreamGone:
      return "stream_gone";
    case server::LeaveReason::kEvicted:
      return "evicted";
    case server::LeaveReason::kShutdown:
      return "shutdown";
  }
  return "unknown";
}

const char* name(transcoder::Ingest::Status status) {
  switch (status) {
    case transcoder::Ingest::Status::kConnecting:
      return "connecting";
    case transcoder::Ingest::Status::kPlaying:
      return "playing";
    case transcoder::Ingest::Status::kStalled:
      return "stalled";
    case transcoder::Ingest::Status::kWaiting:
      return "waiting";
  }
  return "unknown";
}

const char* name(FrameDelivery::Source source) {
  return source == FrameDelivery::Source::kTimestamp ? "timestamp" : "tcp_info";
}

const char* name(SocketSteering::SsthreshHint hint) {
  switch (hint) {
    case SocketSteering::SsthreshHint::kSet:
      return "set";
    case SocketSteering::SsthreshHint::kPaced:
      return "paced";
    case SocketSteering::SsthreshHint::kRefused:
      return "refused";
    case SocketSteering::SsthreshHint::kNone:
      return "none";
  }
  return "unknown";
}

}  // namespace app
