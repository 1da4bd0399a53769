#include "record/stream/chunk_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "record/stream/checksum.h"
#include "record/stream/ordinary_file.h"
#include "record/stream/records.h"
#include "record/stream/stage_files.h"

namespace malloom::stream {

using namespace formats::profile;

bool ChunkReader::open(const char* path) {
    if (!open_without_stages(path)) return false;
    add_staged(path);
    return true;
}

bool ChunkReader::open_without_stages(const char* path) {
    if (!map(path) || !check_file_header()) return false;
    index();
    return true;
}

bool ChunkReader::map(const char* path) {
    const OrdinaryFile file = open_ordinary_file(path, O_RDONLY);
    if (file.descriptor < 0 && errno != EINVAL) {
        problem_ = std::string("cannot read ") + path + ": " + strerror(errno);
        return false;
    }
    file_bytes_ = file.bytes;
    const bool is_mapped = file_bytes_ != 0 && mapping_.open(file.descriptor, file_bytes_);
    if (file.descriptor >= 0) close(file.descriptor);
    if (!is_mapped) {
        problem_ = std::string(path) + " is not a profile (it is empty or no ordinary file)";
        return false;
    }
    file_ = mapping_.data();
    return true;
}

bool ChunkReader::check_file_header() {
    if (file_bytes_ < sizeof file_header_) {
        problem_ = "not a profile (shorter than a profile's header)";
        return false;
    }
    memcpy(&file_header_, file_, sizeof file_header_);
    if (file_header_.magic != file_magic) {
        problem_ = "not a profile (it does not begin with MALLPROF)";
    } else if (file_header_.version > version_current) {
        problem_ = "profile is written by a newer malloom (version " + std::to_string(file_header_.version) +
                   "; this one reads up to " + std::to_string(version_current) + ")";
    } else if (file_header_.checksum != checksum(file_, offsetof(FileHeader, checksum)) ||
               file_header_.header_bytes < sizeof file_header_) {
        problem_ = "profile is corrupt in its first bytes";
    }
    return problem_.empty();
}

bool ChunkReader::chunk_at(uint64_t offset, ChunkView& chunk) const {
    if (file_bytes_ - offset < sizeof(ChunkHeader)) return false;
    const unsigned char* const header = file_ + offset;
    memcpy(&chunk.header, header, sizeof chunk.header);
    chunk.stored = header + sizeof(ChunkHeader);
    chunk.file_offset = offset;
    return chunk.header.magic == chunk_magic &&
           chunk.header.header_checksum == checksum(header, offsetof(ChunkHeader, header_checksum));
}

uint64_t ChunkReader::next_chunk_from(uint64_t offset) const {
    ChunkView chunk{};
    while (offset < file_bytes_) {
        const void* found = memmem(file_ + offset, file_bytes_ - offset, &chunk_magic, sizeof chunk_magic);
        if (found == nullptr) break;
        offset = static_cast<uint64_t>(static_cast<const unsigned char*>(found) - file_);
        if (chunk_at(offset, chunk)) return offset;
        ++offset;
    }
    return file_bytes_;
}

// A write that a full disk cut short may be followed by a chunk that still found room, so that the torn chunk
// seems whole and swallows it. What follows the torn one is then no chunk: so the one before an irregularity
// is suspect.
uint64_t ChunkReader::torn_chunk_before(uint64_t offset) {
    if (chunks_.empty()) return offset;
    const ChunkView last = chunks_.back();
    const uint64_t end = last.file_offset + sizeof(ChunkHeader) + last.header.stored_bytes;
    // Once: of a made-up profile a thousand chunks may end there, each within the one before.
    if (end != offset || end == torn_end_ || is_whole(last)) return offset;
    torn_end_ = end;
    chunks_.pop_back();
    whole_bytes_ = last.file_offset;
    return last.file_offset;
}

void ChunkReader::index() {
    uint64_t offset = file_header_.header_bytes;
    whole_bytes_ = offset;
    ChunkView chunk{};
    while (offset < file_bytes_) {
        const uint64_t room = file_bytes_ - offset;
        if (chunk_at(offset, chunk) && chunk.header.stored_bytes <= room - sizeof(ChunkHeader)) {
            chunks_.push_back(chunk);
            offset += sizeof(ChunkHeader) + chunk.header.stored_bytes;
            whole_bytes_ = offset;
            continue;
        }
        offset = torn_chunk_before(offset);
        const uint64_t resume = next_chunk_from(offset + 1);
        if (resume == file_bytes_) {
            notes_.push_back("profile is cut at byte " + std::to_string(offset) + ": " +
                             std::to_string(chunks_.size()) + " chunks are good");
        } else {
            notes_.push_back(std::to_string(resume - offset) + " bytes at byte " + std::to_string(offset) +
                             " are corrupt and skipped");
        }
        offset = resume;
    }
}

bool ChunkReader::is_whole(const ChunkView& chunk) {
    return checksum(chunk.stored, chunk.header.stored_bytes) == chunk.header.payload_checksum;
}

bool ChunkReader::decode(const ChunkView& chunk, std::vector<unsigned char>& out) {
    const ChunkHeader& header = chunk.header;
    if (header.decoded_bytes > most_payload_bytes(header)) return false;
    if (!is_whole(chunk)) return false;
    if (static_cast<Codec>(header.codec) == Codec::plain) {
        out.assign(chunk.stored, chunk.stored + header.stored_bytes);
        return header.stored_bytes == header.decoded_bytes;
    }
    if (static_cast<Codec>(header.codec) != Codec::zstd) return false;
    if (ZSTD_getFrameContentSize(chunk.stored, header.stored_bytes) != header.decoded_bytes) return false;
    out.resize(header.decoded_bytes);
    const size_t bytes = ZSTD_decompress(out.data(), out.size(), chunk.stored, header.stored_bytes);
    return ZSTD_isError(bytes) == 0 && bytes == header.decoded_bytes;
}

void ChunkReader::let_go(const ChunkView& chunk) {
    if (chunk.file_offset == 0) return;  // staged: no mapping, but memory that would be lost
    constexpr uintptr_t page = 4096;
    const auto begin = reinterpret_cast<uintptr_t>(chunk.stored);
    const uintptr_t first = (begin + page - 1) / page * page;
    const uintptr_t end = (begin + chunk.header.stored_bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

bool ChunkReader::holds(const ChunkHeader& header) const {
    for (const ChunkView& chunk : chunks_) {
        const ChunkHeader& known = chunk.header;
        if (known.kind == header.kind && known.process == header.process && known.thread == header.thread &&
            known.sequence == header.sequence && known.first_ticket == header.first_ticket)
            return true;
    }
    return false;
}

void ChunkReader::add_staged(const char* path) {
    for (const StageFile& file : list_stage_files(path)) {
        StagedChunks staged;
        if (!read_stage_file(file, staged)) continue;
        for (std::vector<unsigned char>& chunk : staged.chunks) add_staged_chunk(std::move(chunk));
        if (file.of_process && staged.state != ProcessState::recording)
            add_staged_chunk(make_end_chunk(file.process, staged.state, staged.dropped));
    }
}

void ChunkReader::add_staged_chunk(std::vector<unsigned char> bytes) {
    ChunkView chunk{};
    memcpy(&chunk.header, bytes.data(), sizeof chunk.header);
    if (holds(chunk.header)) return;
    staged_.push_back(std::move(bytes));
    chunk.stored = staged_.back().data() + sizeof chunk.header;
    chunks_.push_back(chunk);
}

std::vector<Property> parse_properties(const std::vector<unsigned char>& payload) {
    std::vector<Property> properties;
    const char* next = reinterpret_cast<const char*>(payload.data());
    const char* const end = next + payload.size();
    const auto take = [&](std::string& text) {
        const void* stop = next == end ? nullptr : memchr(next, 0, static_cast<size_t>(end - next));
        if (stop == nullptr) return false;
        text.assign(next, static_cast<const char*>(stop));
        next = static_cast<const char*>(stop) + 1;
        return true;
    };
    Property property;
    while (take(property.first) && take(property.second)) properties.push_back(property);
    return properties;
}

ProcessEnd parse_end(const std::vector<unsigned char>& payload) {
    ProcessEnd end;
    for (const auto& [name, value] : parse_properties(payload)) {
        if (name == "reason") end.reason = value;
        if (name == "accesses") end.accesses = value;
        if (name == "state") end.state = static_cast<ProcessState>(strtoul(value.c_str(), nullptr, 10));
        if (name == "dropped") end.dropped = strtoull(value.c_str(), nullptr, 10);
    }
    return end;
}

}  // namespace malloom::stream
