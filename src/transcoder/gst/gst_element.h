#pragma once

#include <optional>
#include <string_view>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/track_kind.h"

namespace transcoder {

/// A new element, with a floating reference. Throws std::runtime_error if it is not installed.
GstElement* make_element(const char* name);

/// Adds an element to a running bin, on a streaming thread. The bin does not start it, which could
/// deadlock: the bin would wait for that thread, which holds the lock of its pad and waits for the
/// bin. Link the element, and then call start_in_bin().
void add_to(GstElement* bin, GstElement* element);

/// Brings the element to the state of its bin, which controls it from then on.
void start_in_bin(GstElement* element);

/// Stops an element and takes it out of its bin, if it is in one. Call on none of its threads.
void remove_element(GstElement* element);

/// Whether the element was made by the factory `name`.
bool is_a(GstElement* element, std::string_view name);

/// The kind of decoded data that the pad carries; nullopt if they are not decoded, or neither
/// pictures nor audio.
std::optional<TrackKind> raw_kind(GstPad* pad);

/// The kind of track that the pad carries by its format, encoded or not; nullopt if it is neither
/// pictures nor audio, or not known.
std::optional<TrackKind> track_kind(GstPad* pad);

}  // namespace transcoder
