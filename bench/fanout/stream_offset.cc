// How a recorded stream's timestamps relate to the capture times in its pictures (test_code.h).
// Prints JSON: the frames that were read, the median of capture time (CLOCK_MONOTONIC) less
// timestamp, and how far the others are from it at most.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "base/units.h"
#include "recording.h"
#include "test_code_reader.h"

namespace {

std::vector<double> offsets(control::Recording& recording) {
  std::vector<double> result;
  while (const auto frame = recording.next()) {
    const auto code = transcoder::test::read_test_code(
        {frame->plane[0], frame->stride[0], frame->format.width, frame->format.height});
    if (code) result.push_back(base::seconds(code->captured) - base::seconds(frame->pts));
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: stream_offset RECORDING\n";
    return 2;
  }
  control::Recording recording{argv[1]};
  auto all = offsets(recording);
  if (all.empty()) throw std::runtime_error{"no picture has a readable code"};
  std::ranges::sort(all);
  const double median = all[all.size() / 2];
  std::cout << nlohmann::json{{"frames", all.size()},
                              {"offset_s", median},
                              {"spread_s", std::max(all.back() - median, median - all.front())}}
            << '\n';
} catch (const std::exception& error) {
  std::cerr << "stream_offset: " << error.what() << '\n';
  return 1;
}
