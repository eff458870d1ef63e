#include "transcoder/gst/open_movie.h"

#include <gst/gst.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/handle.h"

namespace transcoder {

namespace {

using WritableBytes = std::span<std::uint8_t>;
using BufferHandle = Handle<GstBuffer, gst_buffer_unref>;

constexpr std::size_t kBoxHeader = 8;  // ISO/IEC 14496-12, 4.2: size and type

/// A `moov` of fragments has some kilobytes. A larger one is passed on as it is.
constexpr std::size_t kMaxMovie = 1 << 20;

std::size_t size_of(WritableBytes box) {
  return std::size_t{box[0]} << 24 | std::size_t{box[1]} << 16 | std::size_t{box[2]} << 8 | box[3];
}

std::string_view type_of(WritableBytes box) {
  return {reinterpret_cast<const char*>(box.data()) + 4, 4};
}

/// Calls visit(type, body) for each box directly in `bytes`.
template <typename Visit>
void for_each(WritableBytes bytes, Visit visit) {
  while (bytes.size() >= kBoxHeader) {
    const auto size = std::clamp(size_of(bytes), kBoxHeader, bytes.size());
    visit(type_of(bytes), bytes.subspan(kBoxHeader, size - kBoxHeader));
    bytes = bytes.subspan(size);
  }
}

/// Of `mvhd` and `mdhd` (8.2.2, 8.4.2).
void clear_duration(WritableBytes header) {
  const bool is_long = !header.empty() && header[0] == 1;
  const std::size_t at = is_long ? 24 : 16;
  const std::size_t size = is_long ? 8 : 4;
  if (header.size() >= at + size) std::ranges::fill(header.subspan(at, size), std::uint8_t{0});
}

void clear_durations(WritableBytes movie) {
  for_each(movie, [](std::string_view type, WritableBytes body) {
    if (type == "mvhd" || type == "mdhd") clear_duration(body);
    if (type == "trak" || type == "mdia") clear_durations(body);
  });
}

bool is_open(WritableBytes movie) {
  bool fragmented = false;
  bool says_length = false;
  for_each(movie, [&](std::string_view type, WritableBytes body) {
    if (type != "mvex") return;
    fragmented = true;
    for_each(body, [&](std::string_view inner, WritableBytes) { says_length |= inner == "mehd"; });
  });
  return fragmented && !says_length;
}

/// Holds the beginning of a file back until its `moov` is whole.
class Beginning {
 public:
  /// Returns what to pass on; nullptr if that is nothing yet.
  GstBuffer* push(GstBuffer* buffer) {
    held_.reset(held_ ? gst_buffer_append(held_.release(), buffer) : buffer);
    held_.reset(gst_buffer_make_writable(held_.release()));
    GstMapInfo map;
    if (gst_buffer_map(held_.get(), &map, GST_MAP_READWRITE) == FALSE) return held_.release();
    const bool waits = open({map.data, map.size});
    gst_buffer_unmap(held_.get(), &map);
    return waits ? nullptr : held_.release();
  }

 private:
  /// Returns whether more bytes are needed.
  static bool open(WritableBytes bytes) {
    while (bytes.size() >= kBoxHeader) {
      const auto size = size_of(bytes);
      const bool is_movie = type_of(bytes) == "moov";
      if (size < kBoxHeader || size > kMaxMovie || type_of(bytes) == "mdat") return false;
      if (bytes.size() < size) return true;
      if (is_movie) remove_durations(bytes.first(size));
      if (is_movie) return false;
      bytes = bytes.subspan(size);
    }
    return true;
  }

  BufferHandle held_;
};

GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstBuffer* const out = static_cast<Beginning*>(data)->push(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = out;
  return out != nullptr ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_HANDLED;
}

}  // namespace

void remove_durations(std::span<std::uint8_t> bytes) {
  const auto movie = bytes.subspan(std::min(kBoxHeader, bytes.size()));
  if (is_open(movie)) clear_durations(movie);
}

void open_movie(GstElement* qtdemux) {
  const PadHandle pad{gst_element_get_static_pad(qtdemux, "sink")};
  gst_pad_add_probe(
      pad.get(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PUSH),
      on_data, new Beginning, [](gpointer data) { delete static_cast<Beginning*>(data); });
}

}  // namespace transcoder
