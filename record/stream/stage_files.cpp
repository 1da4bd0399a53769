#include "record/stream/stage_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <tuple>

#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "record/stream/ordinary_file.h"
#include "record/stream/process_end.h"
#include "record/stream/records.h"
#include "record/stream/staging.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

// Far more than a process stages in one file, which may be made up.
constexpr size_t most_stage_bytes = size_t{64} << 20;

bool read_whole(const std::string& path, std::vector<unsigned char>& bytes) {
    FILE* file = fdopen(open_ordinary_file(path.c_str(), O_RDONLY).descriptor, "rb");
    if (file == nullptr) return false;
    unsigned char part[1 << 16];
    size_t got = 0;
    do {
        got = fread(part, 1, sizeof part, file);
        bytes.insert(bytes.end(), part, part + got);
    } while (got == sizeof part && bytes.size() < most_stage_bytes);
    fclose(file);
    return true;
}

std::vector<unsigned char> plain_chunk(const ChunkIdentity& identity, const unsigned char* payload,
                                       size_t bytes) {
    std::vector<unsigned char> chunk(chunk_bound(bytes));
    chunk.resize(make_chunk(identity, payload, bytes, nullptr, chunk.data()));
    return chunk;
}

std::vector<unsigned char> events_chunk(const ChunkIdentity& identity, const EventRecord* events) {
    std::vector<unsigned char> columns(encode_events_bound(identity.records));
    columns.resize(encode_events(events, identity.records, identity.first_ticket, columns.data()));
    return plain_chunk(identity, columns.data(), columns.size());
}

// Records as they stand are no columns: so every reader finds the chunk corrupt, and says that events are
// missing.
std::vector<unsigned char> damaged_chunk(const ChunkIdentity& identity, const EventRecord* events) {
    return plain_chunk(identity, reinterpret_cast<const unsigned char*>(events),
                       identity.records * sizeof(EventRecord));
}

// A stage has no checksum: what follows the first record that cannot be one is not believed.
void add_events(ChunkIdentity identity, const std::vector<EventRecord>& events, StagedChunks& staged) {
    const size_t good = plausible_events(events.data(), events.size(), 0);
    if (good != 0) {
        identity.first_ticket = events[0].ticket;
        identity.records = good;
        staged.chunks.push_back(events_chunk(identity, events.data()));
        identity.first_ticket = events[good - 1].ticket + 1;
        ++identity.sequence;
    }
    if (good == events.size()) return;
    identity.records = events.size() - good;
    staged.chunks.push_back(damaged_chunk(identity, events.data() + good));
}

bool read_stage(const unsigned char* start, size_t bytes, StagedChunks& staged) {
    StagingHeader header;
    if (bytes < sizeof header) return false;
    memcpy(&header, start, sizeof header);
    const uint64_t room = (bytes - sizeof header) / sizeof(EventRecord);
    if (header.magic != staging_magic || header.version != version_current || header.records > room)
        return false;
    if (header.records == 0) return true;
    std::vector<EventRecord> events(header.records);
    memcpy(events.data(), start + sizeof header, events.size() * sizeof(EventRecord));
    add_events({ChunkKind::events, header.process, header.thread, header.sequence, 0, 0}, events, staged);
    return true;
}

void read_contexts(const ProcessStagingHeader& header, const unsigned char* contexts, StagedChunks& staged) {
    staged.state = static_cast<ProcessState>(header.state);
    staged.dropped = header.dropped;
    if (header.bytes == 0) return;
    staged.chunks.push_back(
        plain_chunk({ChunkKind::contexts, header.process, 0, header.sequence, 0, header.records}, contexts,
                    header.bytes));
}

// The contexts come first, because events refer to them, and count even where the events' part is damaged.
bool read_process(const unsigned char* start, size_t bytes, StagedChunks& staged) {
    ProcessStagingHeader header;
    if (bytes < sizeof header) return false;
    memcpy(&header, start, sizeof header);
    const size_t room = bytes - sizeof header;
    if (header.magic != process_staging_magic || header.version != version_current ||
        header.capacity > room || header.bytes > header.capacity)
        return false;
    const unsigned char* const contexts = start + sizeof header;
    read_contexts(header, contexts, staged);
    read_stage(contexts + header.capacity, room - header.capacity, staged);
    return true;
}

// Of the first thread that still runs.
std::vector<unsigned char> maps_of_threads(const std::string& folder) {
    std::vector<unsigned char> maps;
    DIR* listing = opendir(folder.c_str());
    if (listing == nullptr) return maps;
    while (const dirent* entry = readdir(listing)) {
        const std::string thread = folder + "/" + entry->d_name;
        if (entry->d_name[0] != '.' && read_whole(thread + "/maps", maps) && !maps.empty()) break;
    }
    closedir(listing);
    return maps;
}

// Whether the process lives and has a file mapped whose path holds `name`. Where that cannot be seen, life is
// enough.
bool has_mapped(uint64_t process, const std::string& name) {
    const auto pid = static_cast<pid_t>(pid_of(process));
    const std::string folder = "/proc/" + std::to_string(pid);
    std::vector<unsigned char> maps;
    if (!read_whole(folder + "/maps", maps)) return kill(pid, 0) == 0 || errno == EPERM;
    // Of a process whose first thread has ended, older kernels show none there.
    if (maps.empty()) maps = maps_of_threads(folder + "/task");
    return memmem(maps.data(), maps.size(), name.data(), name.size()) != nullptr;
}

bool parse_name(const char* name, StageFile& file) {
    char* end = nullptr;
    file.process = strtoull(name, &end, 16);
    file.of_process = strcmp(end, "-process") == 0;
    return end != name && *end == '-';
}

}  // namespace

std::vector<StageFile> list_stage_files(const std::string& profile_path) {
    std::vector<StageFile> files;
    const std::string folder = profile_path + ".staging";
    DIR* listing = opendir(folder.c_str());
    if (listing == nullptr) return files;
    while (const dirent* entry = readdir(listing)) {
        StageFile file;
        if (!parse_name(entry->d_name, file)) continue;
        file.path = folder + "/" + entry->d_name;
        files.push_back(file);
    }
    closedir(listing);
    std::sort(files.begin(), files.end(), [](const StageFile& a, const StageFile& b) {
        return std::tuple(a.process, !a.of_process, a.path) < std::tuple(b.process, !b.of_process, b.path);
    });
    return files;
}

bool read_stage_file(const StageFile& file, StagedChunks& staged) {
    std::vector<unsigned char> bytes;
    if (!read_whole(file.path, bytes)) return false;
    return file.of_process ? read_process(bytes.data(), bytes.size(), staged)
                           : read_stage(bytes.data(), bytes.size(), staged);
}

std::vector<unsigned char> make_end_chunk(uint64_t process, ProcessState state, uint64_t dropped) {
    const EndPayload payload = end_payload(state, dropped);
    return plain_chunk({ChunkKind::end, process, 0, 0, 0, 1}, payload.payload(), payload.size());
}

bool stages_now(const StageFile& file) {
    const std::string name = file.path.substr(file.path.rfind('/'));
    return has_mapped(file.process, name.substr(0, name.find('-') + 1));
}

bool has_recorder_now(uint64_t process) {
    return has_mapped(process, "libmalloom_record.so");
}

}  // namespace malloom::stream
