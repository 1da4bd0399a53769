// The contexts of a process and the modules that their frames lie in, as columns.
#pragma once

#include <stdint.h>

#include <span>
#include <string>
#include <vector>

#include "src/native/profile/recording.h"

namespace malloom::native {

struct ModuleEntry {
    std::string path;
    std::string build_id;  ///< hexadecimal; may be empty
    uint64_t base = 0, end = 0, bias = 0;
    uint64_t hash = 0;  ///< formats/context_hash.h
};

/// Call chains in compressed rows, innermost frame first: the frames of context i are at offsets[i] to
/// offsets[i + 1].
class ContextTable {
  public:
    explicit ContextTable(const ProcessChunks& process);

    /// Index of the context that the recorder numbered so. Numbers whose chain was lost share one context, a
    /// single frame in no known module.
    uint32_t index_of(uint32_t number);

    std::vector<ModuleEntry> modules;
    std::vector<uint64_t> offsets{0};
    std::vector<uint32_t> frame_modules;  ///< index into modules, or formats::profile::no_module
    std::vector<uint64_t> frame_offsets;  ///< bytes: return address minus the module's bias
    uint64_t corrupt_chunks = 0;

    /// Stable hash of the innermost `depth` frames of every context.
    std::vector<uint64_t> hashes(uint32_t depth) const;

  private:
    void read_module(const stream::ChunkView& chunk);
    void read_contexts(const stream::ChunkView& chunk);
    void add_context(uint32_t number, std::span<const formats::profile::FrameRecord> frames);

    std::vector<uint32_t> module_index_;  ///< by the recorder's index
    std::vector<uint32_t> index_;         ///< by the recorder's number
    uint32_t lost_ = UINT32_MAX;          ///< index of the context of lost chains
};

/// Stable hash of one chain (formats/context_hash.h); `module_hashes` is indexed by `modules`. A frame in no
/// known module counts as module 0, offset 0: its address says nothing in another run.
uint64_t chain_hash(std::span<const uint32_t> modules, std::span<const uint64_t> offsets,
                    std::span<const uint64_t> module_hashes);

/// Requests under contexts that were cut to fewer frames.
struct Refolding {
    std::vector<uint32_t> context;  ///< per request
    std::vector<uint64_t> hashes;   ///< per new context, numbered by their first requests
    std::vector<uint32_t> ordinal;  ///< per request
};

/// `hashes` is per old context, the hash at the smaller depth.
Refolding refold(std::span<const uint32_t> context_of_request, std::span<const uint64_t> hashes);

}  // namespace malloom::native
