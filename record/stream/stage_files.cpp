#include "record/stream/stage_files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <tuple>

#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "record/stream/pairs.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

bool read_whole(const std::string& path, std::vector<unsigned char>& bytes) {
    FILE* file = fopen(path.c_str(), "rbe");
    if (file == nullptr) return false;
    unsigned char part[1 << 16];
    size_t got = 0;
    do {
        got = fread(part, 1, sizeof part, file);
        bytes.insert(bytes.end(), part, part + got);
    } while (got == sizeof part);
    fclose(file);
    return true;
}

std::vector<unsigned char> plain_chunk(const ChunkIdentity& identity, const unsigned char* payload,
                                       size_t bytes) {
    std::vector<unsigned char> chunk(chunk_bound(bytes));
    chunk.resize(make_chunk(identity, payload, bytes, nullptr, chunk.data()));
    return chunk;
}

bool read_events(const std::vector<unsigned char>& bytes, StagedChunk& staged) {
    StagingHeader header;
    if (bytes.size() < sizeof header) return false;
    memcpy(&header, bytes.data(), sizeof header);
    const uint64_t room = (bytes.size() - sizeof header) / sizeof(EventRecord);
    if (header.magic != staging_magic || header.version != version_current || header.records > room)
        return false;
    if (header.records == 0) return true;
    std::vector<EventRecord> events(header.records);
    memcpy(events.data(), bytes.data() + sizeof header, events.size() * sizeof(EventRecord));
    const uint64_t first = events[0].ticket;
    std::vector<unsigned char> columns(encode_events_bound(events.size()));
    columns.resize(encode_events(events.data(), events.size(), first, columns.data()));
    staged.bytes =
        plain_chunk({ChunkKind::events, header.process, header.thread, header.sequence, first, events.size()},
                    columns.data(), columns.size());
    return true;
}

bool read_contexts(const std::vector<unsigned char>& bytes, StagedChunk& staged) {
    ProcessStagingHeader header;
    if (bytes.size() < sizeof header) return false;
    memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != process_staging_magic || header.version != version_current ||
        header.bytes > bytes.size() - sizeof header)
        return false;
    staged.state = static_cast<ProcessState>(header.state);
    staged.dropped = header.dropped;
    if (header.bytes == 0) return true;
    staged.bytes = plain_chunk({ChunkKind::contexts, header.process, 0, header.sequence, 0, header.records},
                               bytes.data() + sizeof header, header.bytes);
    return true;
}

const char* reason_of(ProcessState state) {
    switch (state) {
        case ProcessState::exited:
            return "exit";
        case ProcessState::stopped:
            return "stopped by the program";
        case ProcessState::limit:
            return "maximum size reached";
        case ProcessState::failed:
            return "profile could not be written";
        case ProcessState::recording:
            break;
    }
    return "ended without exit handlers (exec, _exit or a signal)";
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

bool read_stage_file(const StageFile& file, StagedChunk& staged) {
    std::vector<unsigned char> bytes;
    if (!read_whole(file.path, bytes)) return false;
    return file.of_process ? read_contexts(bytes, staged) : read_events(bytes, staged);
}

std::vector<unsigned char> make_end_chunk(uint64_t process, const StagedChunk& staged) {
    Pairs<256> payload;
    payload.text("reason", reason_of(staged.state));
    payload.decimal("state", static_cast<uint64_t>(staged.state));
    payload.decimal("dropped", staged.dropped);
    return plain_chunk({ChunkKind::end, process, 0, 0, 0, 1}, payload.payload(), payload.size());
}

bool stages_now(const StageFile& file) {
    const auto pid = static_cast<pid_t>(file.process & ((1u << 22) - 1));
    std::vector<unsigned char> maps;
    if (!read_whole("/proc/" + std::to_string(pid) + "/maps", maps))
        return kill(pid, 0) == 0 || errno == EPERM;
    const std::string name = file.path.substr(file.path.rfind('/'));
    const std::string mapped = name.substr(0, name.find('-') + 1);
    return memmem(maps.data(), maps.size(), mapped.data(), mapped.size()) != nullptr;
}

}  // namespace malloom::stream
