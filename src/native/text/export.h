// A profile to text, chunk by chunk.
#pragma once

#include <string>

#include "record/stream/chunk_reader.h"

namespace malloom::native {

/// Writes the profile's text form to `descriptor`. What of a chunk the text could not bring back byte for
/// byte is given as stored, in hexadecimal. Memory: one chunk. Returns what went wrong with the writing,
/// empty when nothing did.
std::string export_text(const stream::ChunkReader& profile, int descriptor);

}  // namespace malloom::native
