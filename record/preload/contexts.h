// Which contexts and modules the profile already knows.
#pragma once

#include <stdint.h>

#include <atomic>

#include "runtime/context/context_table.h"
#include "runtime/context/remembered_walks.h"

namespace malloom::record {

/// What the recorder keeps about a context: the process image in whose part of the profile it is already
/// written.
struct ContextState {
    std::atomic<uint64_t> written_for;
};
using Contexts = context::ContextTable<ContextState>;
using RememberedWalks = context::RememberedWalks<Contexts::Entry>;

extern Contexts contexts;

/// Writes the context, and the modules of its frames, for this process image.
void write_context(Contexts::Entry& entry);

/// Turns the staged contexts into a chunk, so that events that refer to them may follow.
void flush_contexts();

}  // namespace malloom::record
