// Functions of other libraries that open something, for all code of this process: those of a
// program precede those of the libraries that it loads. They ask the server (AccessGate), or check
// the name of a place before the library sees it (uri_guard). Calls that name no place go to the
// kernel. Some functions open nothing: two of libav precede the memory for pictures (picture_gate),
// and those that read and send bound what an RTSP server sends (rtsp_gate).

#include <dlfcn.h>
#include <gst/gst.h>
#include <gst/rtsp/gstrtspconnection.h>
#include <link.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "transcoder/child/access_gate.h"
#include "transcoder/child/address_list.h"
#include "transcoder/child/picture_gate.h"
#include "transcoder/child/received.h"
#include "transcoder/child/rtsp_gate.h"
#include "transcoder/child/uri_guard.h"
#include "transcoder/wire/descriptors.h"

namespace {

using transcoder::AccessGate;

int denied() {
  errno = EACCES;
  return -1;
}

bool is_internet(const sockaddr* address, socklen_t size) {
  return address != nullptr && size >= sizeof address->sa_family &&
         (address->sa_family == AF_INET || address->sa_family == AF_INET6);
}

/// Sockets to the kernel itself, and the end of an association: they reach nobody. Or the server
/// permits this source all local ones.
bool is_harmless(const sockaddr* address, socklen_t size) {
  if (address == nullptr || size < sizeof address->sa_family) return false;
  const auto* const gate = AccessGate::active();
  return address->sa_family == AF_NETLINK || address->sa_family == AF_UNSPEC ||
         (address->sa_family == AF_UNIX && gate != nullptr && gate->permits_local_sockets());
}

bool is_to_server(int fd) {
  using namespace transcoder::wire;
  return fd == kMediaFd || fd == kAccessFd || fd == kLookupFd;
}

/// On a connected socket, by the one call that the kernel still allows for it. Descriptors and
/// other control messages are not sent: no plugin has any.
ssize_t send_connected(int fd, const msghdr& message, int flags) {
  if (message.msg_iovlen == 1) {
    const auto& part = message.msg_iov[0];
    return ::syscall(SYS_sendto, fd, part.iov_base, part.iov_len, flags, nullptr, 0);
  }
  std::string whole;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    const auto& part = message.msg_iov[i];
    whole.append(static_cast<const char*>(part.iov_base), part.iov_len);
  }
  return ::syscall(SYS_sendto, fd, whole.data(), whole.size(), flags, nullptr, 0);
}

/// The function of the library that would be called without ours.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The same of a library that only plugins load.
template <typename Function>
Function* in_plugins(const char* library, const char* name) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle != nullptr ? reinterpret_cast<Function*>(::dlsym(handle, name)) : nullptr;
}

/// The path of a library that is loaded, whatever its version; empty if there is none.
std::string loaded_library(const std::string& name) {
  struct Search {
    std::string part;
    std::string path;
  } search{"/" + name, ""};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [part, path] = *static_cast<Search*>(data);
        if (std::string_view{info->dlpi_name}.find(part) != std::string_view::npos) {
          path = info->dlpi_name;
        }
        return path.empty() ? 0 : 1;
      },
      &search);
  return search.path;
}

/// The same of libav.
template <typename Function>
Function* in_libavutil(const char* name) {
  return in_plugins<Function>(loaded_library("libavutil.so.").c_str(), name);
}

transcoder::RtspLimits::Message kind_of(const GstRTSPMessage& message) {
  using Message = transcoder::RtspLimits::Message;
  switch (message.type) {
    case GST_RTSP_MESSAGE_DATA:
      return Message::kData;
    case GST_RTSP_MESSAGE_REQUEST:
    case GST_RTSP_MESSAGE_HTTP_REQUEST:
      return Message::kRequest;
    default:
      return Message::kAnswer;
  }
}

/// Which rtmp2src sets when it is made, before the source's own: no place that anyone named. A
/// connection there would be checked as any other.
bool is_default(const char* uri) {
  return std::string_view{uri} == "rtmp://localhost/live/myStream";
}

void set_error(GError** error, const char* uri) {
  g_set_error(error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE, "the source may not open %s", uri);
}

}  // namespace

extern "C" {

int connect(int fd, const sockaddr* to, socklen_t size) {
  auto* const gate = AccessGate::active();
  transcoder::watch_http_requests();  // of an element that no URI has made
  if (is_harmless(to, size)) return static_cast<int>(::syscall(SYS_connect, fd, to, size));
  return gate != nullptr && is_internet(to, size) ? gate->connect(fd, to, size) : denied();
}

int bind(int fd, const sockaddr* at, socklen_t size) noexcept {
  auto* const gate = AccessGate::active();
  if (is_harmless(at, size)) return static_cast<int>(::syscall(SYS_bind, fd, at, size));
  return gate != nullptr && is_internet(at, size) ? gate->bind(fd, at, size) : denied();
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  const auto* const to = static_cast<const sockaddr*>(message->msg_name);
  if (to == nullptr && !is_to_server(fd)) return send_connected(fd, *message, flags);
  if (to == nullptr || is_harmless(to, message->msg_namelen)) {
    return ::syscall(SYS_sendmsg, fd, message, flags);
  }
  auto* const gate = AccessGate::active();
  if (gate == nullptr || !is_internet(to, message->msg_namelen)) return denied();
  return gate->send(fd, *message, flags);
}

ssize_t sendto(int fd, const void* data, size_t count, int flags, const sockaddr* to,
               socklen_t size) {
  if (to == nullptr) return ::syscall(SYS_sendto, fd, data, count, flags, nullptr, 0);
  iovec part{.iov_base = const_cast<void*>(data), .iov_len = count};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(to);
  message.msg_namelen = size;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return sendmsg(fd, &message, flags);
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  for (unsigned i = 0; i < count; ++i) {
    const auto sent = sendmsg(fd, &messages[i].msg_hdr, flags);
    if (sent < 0) return i > 0 ? static_cast<int>(i) : -1;
    messages[i].msg_len = static_cast<unsigned>(sent);
  }
  return static_cast<int>(count);
}

ssize_t recv(int fd, void* data, size_t size, int flags) {
  const auto got = ::syscall(SYS_recvfrom, fd, data, size, flags, nullptr, nullptr);
  if (got > 0) {
    transcoder::RtspReading::note(size, static_cast<std::size_t>(got));
    transcoder::http_answer().received(static_cast<std::size_t>(got));
    transcoder::received_bytes += static_cast<std::uint64_t>(got);
  }
  return got;
}

int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  return transcoder::find_addresses(
      host, service, hints, found, [](const std::string& name, auto& addresses) {
        auto* const gate = AccessGate::active();
        return gate != nullptr ? gate->look_up(name, addresses) : EAI_FAIL;
      });
}

void freeaddrinfo(addrinfo* list) noexcept { transcoder::free_addresses(list); }

GstElement* gst_element_make_from_uri(const GstURIType type, const gchar* uri, const gchar* name,
                                      GError** error) {
  static auto* const real = next<decltype(gst_element_make_from_uri)>("gst_element_make_from_uri");
  if (!transcoder::may_open_uri(uri)) {
    set_error(error, uri);
    return nullptr;
  }
  auto* const element = real(type, uri, name, error);
  transcoder::watch_http_requests();
  return element;
}

gboolean gst_uri_handler_set_uri(GstURIHandler* handler, const gchar* uri, GError** error) {
  static auto* const real = next<decltype(gst_uri_handler_set_uri)>("gst_uri_handler_set_uri");
  if (!is_default(uri) && !transcoder::may_open_uri(uri)) {
    set_error(error, uri);
    return FALSE;
  }
  return real(handler, uri, error);
}

GstRTSPResult gst_rtsp_connection_create(const GstRTSPUrl* url, GstRTSPConnection** connection) {
  static auto* const real = in_plugins<decltype(gst_rtsp_connection_create)>(
      "libgstrtsp-1.0.so.0", "gst_rtsp_connection_create");
  const std::string path = url->abspath != nullptr ? url->abspath : "";
  if (real == nullptr || !transcoder::may_open_rtsp(url->host, url->port, path)) {
    return GST_RTSP_EINVAL;
  }
  const auto result = real(url, connection);
  if (result != GST_RTSP_OK) return result;
  transcoder::limit_rtsp(*connection);
  static auto* const limit = in_plugins<decltype(gst_rtsp_connection_set_content_length_limit)>(
      "libgstrtsp-1.0.so.0", "gst_rtsp_connection_set_content_length_limit");
  if (limit != nullptr) limit(*connection, transcoder::kMaxRtspBody);
  return result;
}

GstRTSPResult gst_rtsp_connection_send_usec(GstRTSPConnection* connection, GstRTSPMessage* message,
                                            gint64 timeout) {
  static auto* const real = in_plugins<decltype(gst_rtsp_connection_send_usec)>(
      "libgstrtsp-1.0.so.0", "gst_rtsp_connection_send_usec");
  if (real == nullptr) return GST_RTSP_EINVAL;
  if (message->type == GST_RTSP_MESSAGE_REQUEST) {
    transcoder::note_rtsp_request(connection, message->type_data.request.method == GST_RTSP_PLAY);
  }
  return real(connection, message, timeout);
}

GstRTSPResult gst_rtsp_connection_receive_usec(GstRTSPConnection* connection,
                                               GstRTSPMessage* message, gint64 timeout) {
  static auto* const real = in_plugins<decltype(gst_rtsp_connection_receive_usec)>(
      "libgstrtsp-1.0.so.0", "gst_rtsp_connection_receive_usec");
  if (real == nullptr) return GST_RTSP_EINVAL;
  transcoder::RtspReading reading{connection};
  const auto result = real(connection, message, timeout);
  if (result == GST_RTSP_OK) reading.arrived(kind_of(*message));
  // The limit of the body is the only reason for it.
  if (result == GST_RTSP_ENOMEM) transcoder::RtspReading::is_too_long();
  return result;
}

// libav calls both of these before it takes memory for pictures of that size: with the size of the
// parameter sets, and with the one that a decoder then uses. `format` is an enum.

int av_image_check_size(unsigned width, unsigned height, int offset, void* context) {
  static auto* const real = in_libavutil<decltype(av_image_check_size)>("av_image_check_size");
  if (real == nullptr || !transcoder::may_decode(width, height)) return -EINVAL;
  return real(width, height, offset, context);
}

int av_image_check_size2(unsigned width, unsigned height, std::int64_t most, int format, int offset,
                         void* context) {
  static auto* const real = in_libavutil<decltype(av_image_check_size2)>("av_image_check_size2");
  if (real == nullptr || !transcoder::may_decode(width, height)) return -EINVAL;
  return real(width, height, most, format, offset, context);
}

}  // extern "C"
