#pragma once

#include <string>
#include <vector>

namespace transcoder {

/// The files and folders that a source's process needs: programs and libraries, GStreamer's plugins
/// and its list of them, certificates, and of a `file:` or `gst:` source the files that it names.
std::vector<std::string> readable_files(const std::string& uri);

/// Folders with sockets of services that a launch text may use, for audio for example. Landlock
/// leaves such sockets alone, but a process finds them only where it sees their folders.
std::vector<std::string> service_folders(const std::string& uri);

/// The paths in a launch text: words that begin with "/", or that follow "location=". Of a pattern
/// ("/x/%05d.png"), its folder.
std::vector<std::string> paths_in(const std::string& launch_text);

}  // namespace transcoder
