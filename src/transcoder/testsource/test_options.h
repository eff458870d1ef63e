#pragma once

#include <string_view>

#include "base/result.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// What `test:?size=1280x720&fps=30&content=motion&audio=on` asks of the built-in source.
struct TestOptions {
  enum class Content {
    kMotion,  ///< a moving landscape with film grain
    kStatic,  ///< the same, standing still: only the counter and the clock change
    kNoise    ///< the hardest picture there is
  };

  PictureSize size{1280, 720};
  double frame_rate = 30;
  Content content = Content::kMotion;
  bool audio = true;
};

/// `query` is what follows `test:`; the error says which option is wrong and what it may be.
base::Result<TestOptions> parse_test_options(std::string_view query);

}  // namespace transcoder
