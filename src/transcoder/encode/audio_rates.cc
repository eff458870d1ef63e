#include "transcoder/encode/audio_rates.h"

#include "media/audio_frame.h"

namespace transcoder {

std::vector<base::BitRate> audio_rates(const AudioSettings& settings) {
  std::vector<base::BitRate> rates{settings.rate};
  for (auto rate = settings.rate * 0.5;
       rates.size() < media::kMaxAudioRungs && rate >= settings.min_rate; rate = rate * 0.5) {
    rates.push_back(rate);
  }
  return rates;
}

}  // namespace transcoder
