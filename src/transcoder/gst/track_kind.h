#pragma once

namespace transcoder {

enum class TrackKind { kPictures, kAudio };

inline constexpr TrackKind kTrackKinds[] = {TrackKind::kPictures, TrackKind::kAudio};

}  // namespace transcoder
