#pragma once

#include <span>
#include <string>

namespace transcoder {

/// From now on this process finds only these files and folders, with all below them, and may write
/// to none: an (almost) empty mount namespace (mount_namespaces(7)), for a kernel without Landlock.
/// The ways to the paths stay what they are, symbolic links included; one that is below a path
/// leads on only to what is allowed as well. Paths that do not exist are left out, and so is what
/// is mounted below them later. Takes all capabilities from the process. Returns why it is not so;
/// an empty text if it is. Then nothing but the capabilities and the user namespace has changed.
/// Call before the first thread.
std::string see_only(std::span<const std::string> paths);

}  // namespace transcoder
