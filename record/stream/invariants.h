// What must hold in every profile, whoever wrote it.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "record/stream/chunk_reader.h"

namespace malloom::stream {

/// Checks the chunks of a profile against each other and returns what does not hold, one line each, at most
/// `limit`:
/// - chunks decode; sequences have neither holes nor repetitions;
/// - tickets run from 1 without gaps or repetitions, over all threads of a process;
/// - a release names a live object, an allocation none that lives (except objects from before the recording);
/// - every context that an event names is defined, every module that a context names too.
/// A process whose end chunk admits losses (limit, failure, dropped events) is held to what remains possible.
/// Reads all events into memory: for tests and for looking into trouble.
std::vector<std::string> broken_invariants(const ChunkReader& reader, size_t limit = 20);

}  // namespace malloom::stream
