#pragma once

#include <string_view>

#include "base/result.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// The options of the built-in source, written
/// `test:?size=1280x720&fps=30&content=motion&audio=on`.
struct TestOptions {
  enum class Content {
    kMotion,  ///< a moving landscape with film grain
    kStatic,  ///< a still landscape without grain: only the counter and the clock change
    kNoise    ///< random pixels, the hardest pictures to encode
  };

  PictureSize size{1280, 720};
  double frame_rate = 30;  ///< pictures per second
  Content content = Content::kMotion;
  bool audio = true;
};

/// Parses the text after `test:`. The error says which option is wrong and which values it may
/// have.
base::Result<TestOptions> parse_test_options(std::string_view query);

}  // namespace transcoder
