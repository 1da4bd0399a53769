// Reads a profile: every chunk that is whole, and what was wrong with the rest.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "formats/profile.h"
#include "record/stream/guarded_mapping.h"

namespace malloom::stream {

/// One chunk. The reader owns what `stored` points to (header.stored_bytes bytes).
struct ChunkView {
    formats::profile::ChunkHeader header;
    const unsigned char* stored;
    uint64_t file_offset;  ///< of the chunk's header; 0 for one that was still staged
};

/// A profile, mapped read-only; of one that others cut meanwhile the chunks that are gone decode no more.
/// Opening indexes the chunks' headers and reads no payload; payloads are verified when they are decoded.
/// Const members may be called from several threads at once.
class ChunkReader {
  public:
    ChunkReader() = default;
    ChunkReader(const ChunkReader&) = delete;
    ChunkReader& operator=(const ChunkReader&) = delete;

    /// Opens a profile, and what dead or living processes have staged in PATH.staging. False when it is not a
    /// profile that can be read; problem() then says why in one line. A cut or a corrupt stretch is no
    /// failure: see notes().
    bool open(const char* path);
    /// As open, but only what stands in the file itself.
    bool open_without_stages(const char* path);
    const std::string& problem() const { return problem_; }

    const formats::profile::FileHeader& file_header() const { return file_header_; }

    /// All whole chunks: those of the file in their order, then the staged ones. Valid as long as the reader.
    const std::vector<ChunkView>& chunks() const { return chunks_; }

    /// What a user should know: "profile is cut at byte N: M chunks are good", "... bytes at N are corrupt
    /// and skipped".
    const std::vector<std::string>& notes() const { return notes_; }

    /// True when a chunk of the file has the same events or contexts, or says the same of the same process.
    bool holds(const formats::profile::ChunkHeader& header) const;

    uint64_t file_bytes() const { return file_bytes_; }
    /// Size of the file without the torn chunk at its end.
    uint64_t whole_bytes() const { return whole_bytes_; }

    /// Whether a payload is as it was written, by its checksum.
    static bool is_whole(const ChunkView& chunk);

    /// Verifies and decompresses a payload into `out` (resized to header.decoded_bytes). False when it is
    /// corrupt.
    static bool decode(const ChunkView& chunk, std::vector<unsigned char>& out);

    /// Lets go of the memory that the payload is mapped to; it may be decoded again. For who reads large
    /// profiles from their beginning to their end.
    static void let_go(const ChunkView& chunk);

  private:
    bool map(const char* path);
    bool check_file_header();
    void index();
    uint64_t torn_chunk_before(uint64_t offset);
    uint64_t next_chunk_from(uint64_t offset) const;
    bool chunk_at(uint64_t offset, ChunkView& chunk) const;
    void add_staged(const char* path);
    void add_staged_chunk(std::vector<unsigned char> bytes);

    GuardedMapping mapping_;
    const unsigned char* file_ = nullptr;
    uint64_t file_bytes_ = 0;
    uint64_t whole_bytes_ = 0;
    uint64_t torn_end_ = 0;  ///< of the last torn chunk that was found
    formats::profile::FileHeader file_header_{};
    std::vector<ChunkView> chunks_;
    std::deque<std::vector<unsigned char>> staged_;
    std::vector<std::string> notes_;
    std::string problem_;
};

/// What an end chunk says.
struct ProcessEnd {
    formats::profile::ProcessState state = formats::profile::ProcessState::recording;
    uint64_t dropped = 0;
    std::string reason;
    std::string accesses;  ///< why those ended before; empty where they did not
};

/// Reads the payload of an end chunk; properties that are unknown or malformed are passed over.
ProcessEnd parse_end(const std::vector<unsigned char>& payload);

/// Name and value.
using Property = std::pair<std::string, std::string>;

/// The properties of a process, module or end payload. One without its NULs at the end is left out.
std::vector<Property> parse_properties(const std::vector<unsigned char>& payload);

}  // namespace malloom::stream
