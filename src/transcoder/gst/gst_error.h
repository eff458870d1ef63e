#pragma once

#include <string>
#include <string_view>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// What an error message on a pipeline's bus means, in one line that says what failed and, where
/// that is known, how to mend it.
std::string error_text(GstMessage* message);

/// What a "missing-plugin" message lacks, for example "H.265 decoder"; empty for other messages.
std::string missing_plugin(GstMessage* message);

/// How to mend it.
std::string missing_plugin_text(std::string_view missing);

/// `text` without line breaks.
std::string one_line(std::string_view text);

}  // namespace transcoder
