#include "tcpinfo/congestion_event.h"

namespace tcpinfo {

const char* name(EventKind kind) {
  switch (kind) {
    case EventKind::kRexmt:
      return "rexmt";
    case EventKind::kDupack:
      return "dupack";
    case EventKind::kTlp:
      return "tlp";
    case EventKind::kCwr:
      return "cwr";
    case EventKind::kUndo:
      return "undo";
    case EventKind::kRtt:
      return "rtt";
  }
  return "unknown";
}

const char* name(EventSource source) {
  switch (source) {
    case EventSource::kTracepoint:
      return "tracepoint";
    case EventSource::kSockops:
      return "sockops";
    case EventSource::kTcpInfo:
      return "tcp_info";
  }
  return "unknown";
}

}  // namespace tcpinfo
