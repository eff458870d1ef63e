#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace transcoder {

/// The host of a URI such as "rtsp://user@camera.local:554/1"; empty if it has none.
std::string host_of(const std::string& uri);

/// The port of a URI; 0 if it has none.
std::uint16_t port_of(const std::string& uri);

/// The value of a key in the URI's query, without percent-encoding; nullopt if it is not there.
std::optional<std::string> query_value(const std::string& uri, std::string_view key);

/// Whether the URI is an SRT address to listen on, because it names no peer to connect to:
/// "srt://0.0.0.0:9000", "srt://[::]:9000" or "srt://:9000".
bool is_listening_address(const std::string& uri);

/// Whether the URI asks symcast to listen for an RTMP publisher, which it cannot: it has an address
/// to listen on, or the key `listen` as for ffmpeg.
bool expects_rtmp_publisher(const std::string& uri);

/// The alternative to offer instead.
inline constexpr std::string_view kInsteadOfRtmp =
    "RTMP publishing is not supported: publish by SRT, to source = \"srt://:PORT\", or let symcast "
    "pull from an RTMP server";

/// The address to receive datagrams at, "udp://...", of a URI for MPEG-TS over RTP or plain UDP;
/// nullopt for other URIs, and those that name another encoding of RTP ("?encoding-name=H264").
std::optional<std::string> datagram_uri(const std::string& uri);

/// Whether the media arrives in datagrams (also SRT), so that a sender does not wait for a slow
/// reader.
bool comes_in_datagrams(const std::string& uri);

/// An SRT URI in GStreamer's form. A `#` becomes `%23`: stream ids may begin with "#!", and SRT
/// URIs have no fragments. A listening address without a mode gets "mode=listener", because libsrt
/// would try to connect to it. Returns other URIs unchanged.
std::string complete_srt_uri(const std::string& uri);

}  // namespace transcoder
