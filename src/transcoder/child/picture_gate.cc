#include "transcoder/child/picture_gate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "transcoder/picture/picture_limit.h"

namespace transcoder {

namespace {

struct Limit {
  PictureSize most;
  std::function<void(std::string)> refuse;
};

/// Written before there is a second thread.
Limit& limit() {
  static Limit of_process;
  return of_process;
}

int as_side(unsigned side) {
  return static_cast<int>(std::min<unsigned>(side, std::numeric_limits<int>::max()));
}

}  // namespace

void limit_pictures(PictureSize most, std::function<void(std::string)> refuse) {
  limit() = {most, std::move(refuse)};
}

bool may_decode(unsigned width, unsigned height) {
  const auto& [most, refuse] = limit();
  const PictureSize size{as_side(width), as_side(height)};
  if (!refuse || is_picture_allowed(size, most)) return true;
  refuse(picture_refusal(size, most));
  return false;
}

}  // namespace transcoder
