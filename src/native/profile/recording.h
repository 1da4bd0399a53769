// A profile's chunks, sorted by process and thread, so that each can be streamed.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/stream/chunk_reader.h"

namespace malloom::native {

using ChunkList = std::vector<const stream::ChunkView*>;

struct ThreadChunks {
    uint32_t thread;  ///< operating system's id
    ChunkList events;
    ChunkList accesses;
};

struct ProcessChunks {
    uint64_t identity = 0;
    ChunkList process, modules, contexts, ends;
    std::vector<ThreadChunks> threads;                       ///< in the order of their first chunks
    std::unordered_map<uint32_t, size_t> places_of_threads;  ///< in these, by id
    uint64_t events = 0;       ///< records in the events chunks, as far as these can hold what they claim
    uint64_t accesses = 0;     ///< the same of the accesses chunks, markers included
    uint64_t lost_chunks = 0;  ///< gaps in the chunks' sequences

    /// About how many requests to make room for: of more, columns grow as they fill, since a damaged chunk
    /// that says to be compressed may claim many events.
    uint64_t expected_requests() const { return std::min(events, uint64_t{1} << 26); }
};

/// An opened profile and the index of its chunks. Payloads are read when they are streamed. Immutable once
/// opened, and then safe to read from several threads.
class Recording {
  public:
    /// False when the file is no profile that can be read; problem() says why.
    bool open(const char* path);
    const std::string& problem() const { return reader_.problem(); }

    const std::vector<std::string>& notes() const { return reader_.notes(); }
    uint64_t created() const { return reader_.file_header().created; }
    const std::vector<ProcessChunks>& processes() const { return processes_; }

    /// nullptr when the profile has no such process.
    const ProcessChunks* find(uint64_t identity) const;

    const stream::ChunkReader& reader() const { return reader_; }

  private:
    void add(const stream::ChunkView& chunk);
    ProcessChunks& process_of(uint64_t identity);

    stream::ChunkReader reader_;
    std::vector<ProcessChunks> processes_;
    std::unordered_map<uint64_t, size_t> places_;  ///< in these, by identity
};

/// The properties of a chunk of strings; what is corrupt is left out.
std::vector<stream::Property> read_properties(const stream::ChunkView& chunk);

}  // namespace malloom::native
