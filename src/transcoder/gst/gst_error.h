#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Describes an error message of a pipeline's bus in one line: the failure and, if known, how to
/// fix it.
std::string error_text(GstMessage* message);

/// Whether a source could not be read, or did not like the answer of the elements behind it.
bool is_unreadable(GstMessage* message);

/// `call` says more about a source that could not be read, if it knows more: a sentence for the
/// operator, or an empty text. On any thread. For the whole process; set it before the first
/// pipeline.
void explain_unreadable(std::function<std::string()> call);

/// The name of the plugin in a "missing-plugin" message, for example "H.265 decoder"; empty for
/// other messages.
std::string missing_plugin(GstMessage* message);

/// An error text that says how to install `missing`.
std::string missing_plugin_text(std::string_view missing);

/// `text` with its line breaks replaced by blanks.
std::string one_line(std::string_view text);

}  // namespace transcoder
