#pragma once

#include <cstdint>
#include <optional>

#include "transcoder/testsource/test_code.h"

namespace transcoder::test {

/// An 8-bit luma plane with values in limited range.
struct LumaView {
  const std::uint8_t* data = nullptr;
  int stride = 0;
  int width = 0;
  int height = 0;
};

/// nullopt if there is no code or its checksum is wrong.
std::optional<TestCode> read_test_code(const LumaView& picture);

}  // namespace transcoder::test
