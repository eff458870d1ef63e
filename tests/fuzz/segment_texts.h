#pragma once

#include <string>
#include <string_view>

#include "segments/segment_store.h"
#include "segments/target.h"

/// Properties of the texts that players of HLS and DASH get. They hold when the text was made; the
/// store has to be as it was then.
namespace fuzz {

/// A media playlist of `rendition`: it lists only segments and parts that are in the store, one
/// after the other, and hints at the part after them.
void check_playlist(std::string_view text, const segments::SegmentStore& store,
                    segments::Rendition rendition);

/// Returns the token of the session to which its URLs lead.
std::string check_multivariant(std::string_view text);

/// Returns the token; empty if the URLs have none, because the request had it.
std::string check_manifest(std::string_view text);

}  // namespace fuzz
