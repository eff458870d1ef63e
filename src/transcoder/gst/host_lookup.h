#pragma once

#include <cstdint>
#include <string>

namespace transcoder {

/// The host of a URI such as "rtsp://user@camera.local:554/1"; empty if it has none.
std::string host_of(const std::string& uri);

/// The port of a URI; 0 if it has none.
std::uint16_t port_of(const std::string& uri);

/// Why the host of a URI has no address ("no address is known for 'camera.local' (Name or service
/// not known); check ..."); empty if it has one, or if the URI has no host. Asks the resolver,
/// which may take seconds.
std::string lookup_failure(const std::string& uri);

}  // namespace transcoder
