#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"

namespace transcoder {

/// If the element decodes pictures that need no others (JPEG, PNG), drops those above twice
/// `max_rate` per second before it decodes them, and reports that. Those up to there are thinned
/// out evenly later (FrameRateLimit).
void limit_key_pictures(GstElement* element, double max_rate, std::shared_ptr<InputReport> report);

}  // namespace transcoder
