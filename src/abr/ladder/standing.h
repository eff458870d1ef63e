#pragma once

#include <array>
#include <cstddef>

namespace abr {

/// Whether a viewer counts where a rate is chosen for several. A claim is no proof: a viewer that
/// takes no media must not lower the rate of those who do. Viewers count if nobody with a better
/// standing shares the rate.
enum class Standing {
  kUnproven,  ///< has taken too little media, or none lately
  kModest,    ///< takes media, and asks for much less than the path carries
  kProven,    ///< takes media
};

inline constexpr std::size_t kStandings = 3;

/// "unproven", "modest", "proven": the words of the metrics, by index_of().
inline constexpr std::array kStandingNames{"unproven", "modest", "proven"};

constexpr std::size_t index_of(Standing standing) { return static_cast<std::size_t>(standing); }

}  // namespace abr
