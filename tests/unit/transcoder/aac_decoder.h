#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace transcoder::test {

/// The two channels of raw AAC frames, as libavcodec decodes them: 1024 samples of each per frame.
/// Those of the first frame are not whole, for want of the one before it. Throws std::runtime_error
/// if it refuses a frame.
std::array<std::vector<float>, 2> decode_aac(std::span<const std::vector<std::uint8_t>> frames);

}  // namespace transcoder::test
