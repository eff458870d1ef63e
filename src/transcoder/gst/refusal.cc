#include "transcoder/gst/refusal.h"

#include <gst/gst.h>

#include <utility>

#include "transcoder/handle.h"

namespace transcoder {

namespace {

using ErrorHandle = Handle<GError, g_error_free>;

GQuark refusal_domain() {
  static const GQuark domain = g_quark_from_static_string("symcast-refusal");
  return domain;
}

std::function<void(std::string)>& hook() {
  static std::function<void(std::string)> of_process;
  return of_process;
}

}  // namespace

void on_refusal(std::function<void(std::string)> call) { hook() = std::move(call); }

void refuse(GstElement* element, const std::string& reason) {
  if (hook()) hook()(reason);
  const ErrorHandle error{g_error_new_literal(refusal_domain(), 0, reason.c_str())};
  gst_element_post_message(element,
                           gst_message_new_error(GST_OBJECT(element), error.get(), nullptr));
}

bool is_refusal(GstMessage* message) {
  GError* error_out = nullptr;
  gst_message_parse_error(message, &error_out, nullptr);
  const ErrorHandle error{error_out};
  return error->domain == refusal_domain();
}

}  // namespace transcoder
