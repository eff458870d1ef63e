#pragma once

#include <functional>
#include <string>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// `call` gets the reason of each refusal first, on the thread that would go on otherwise: it may
/// end the process. For the whole process; set it before the first pipeline.
void on_refusal(std::function<void(std::string)> call);

/// Ends the pipeline because we do not play what the source sends: an error of `element`, with this
/// reason. Elements may go on after an error.
void refuse(GstElement* element, const std::string& reason);

/// Whether an error of the bus is a refusal.
bool is_refusal(GstMessage* message);

}  // namespace transcoder
