#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "media/container.h"
#include "server/cors.h"
#include "server/streaming_response.h"

namespace server {

/// Adds the header fields that depend on the kind of the response to those of its own, which take
/// precedence. `origin`: of the page that asks. `for_admins`: only administrators may read it.
void add_fields(ResponseHead& head, const std::vector<Origin>& cors_allow, std::string_view origin,
                bool for_admins);

/// The fields of a response to OPTIONS.
std::vector<std::string> options_fields(const std::vector<Origin>& cors_allow,
                                        std::string_view origin, bool for_admins);

std::string head_text(const ResponseHead& head, bool http_1_0, bool keep_alive);

std::string_view content_type(media::Container container);

}  // namespace server
