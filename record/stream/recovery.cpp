#include "record/stream/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "record/stream/chunk_reader.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/process_end.h"
#include "record/stream/profile_file.h"
#include "record/stream/records.h"
#include "record/stream/stage_files.h"
#include "record/stream/staging.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

/// One run of recover().
class Recoverer {
  public:
    Recoverer(const std::string& path, uint64_t maximum_bytes, bool finish, bool is_window, Recovery& result)
        : path_(path),
          maximum_bytes_(maximum_bytes),
          finish_(finish),
          is_window_(is_window),
          result_(result) {}

    ~Recoverer() {
        profile_.close_descriptors();
        ends_.close_descriptors();
    }
    Recoverer(const Recoverer&) = delete;
    Recoverer& operator=(const Recoverer&) = delete;

    bool open() {
        if (!reader_.open_without_stages(path_.c_str())) {
            result_.problem = reader_.problem();
        } else if (!profile_.open(path_.c_str(), without_end_reserve(maximum_bytes_)) ||
                   !ends_.open(path_.c_str(), maximum_bytes_)) {
            result_.problem = "cannot append to " + path_ + ": " + strerror(errno);
        } else {
            // They are the descriptors of malloom's own process here, of many chunks.
            profile_.keep_descriptors();
            ends_.keep_descriptors();
        }
        return result_.problem.empty();
    }

    // The files of a process come one after the other, that which shows its end first.
    void take(const StageFile& file) {
        if (file.process != ending_.process) write_end();
        if (living_.contains(file.process)) return;
        const bool lives = stages_now(file);
        if (lives && !is_window_) {
            living_.insert(file.process);
            return;
        }
        staged_.insert(file.process);
        StagedChunks staged;
        if (read_stage_file(file, staged)) {
            if (lives && staged.state == ProcessState::recording) staged.state = ProcessState::window_over;
            AppendResult outcome = AppendResult::written;
            for (const std::vector<unsigned char>& chunk : staged.chunks)
                worsen(outcome, append(profile_, chunk));
            if (file.of_process) ending_ = {file.process, file.path, staged.state, staged.dropped};
            if (file.process == ending_.process) worsen(ending_.outcome, outcome);
            if (file.of_process || is_tried_again(outcome)) return;
        } else if (has_recorder_now(file.process)) {
            // It may be about to map what it has just made.
            living_.insert(file.process);
            return;
        }
        unlink(file.path.c_str());
    }

    // When all that it left has been tried, since it says whether that is all there. Its file goes after
    // that.
    void write_end() {
        const Ending ending = std::exchange(ending_, {});
        if (ending.process == 0 || is_tried_again(ending.outcome)) return;
        ProcessState state = ending.state;
        if (ending.outcome == AppendResult::limit) state = ProcessState::limit;
        if (ending.outcome == AppendResult::failed) state = ProcessState::failed;
        if (is_tried_again(append(ends_, make_end_chunk(ending.process, state, ending.dropped)))) return;
        unlink(ending.path.c_str());
    }

    // A process that made no event has no file that shows its end. Only the last image of a pid can live.
    void end_silent() {
        std::map<uint64_t, uint64_t> last_of_pid;
        for (const uint64_t process : unended_processes()) {
            if (const uint64_t before = std::exchange(last_of_pid[pid_of(process)], process); before != 0)
                end_without_events(before);
        }
        for (const auto& [pid, process] : last_of_pid) {
            if (!has_recorder_now(process)) {
                end_without_events(process);
            } else if (is_window_) {
                append(ends_, make_end_chunk(process, ProcessState::window_over, 0));
            } else {
                living_.insert(process);
            }
        }
    }

    size_t living() const { return living_.size(); }

  private:
    // Of a process that has ended.
    struct Ending {
        uint64_t process = 0;
        std::string path;
        ProcessState state = ProcessState::recording;
        uint64_t dropped = 0;
        AppendResult outcome = AppendResult::written;
    };

    static void worsen(AppendResult& outcome, AppendResult other) {
        if (other != AppendResult::written && outcome != AppendResult::failed) outcome = other;
    }

    // A disk that is full now may have room later.
    bool is_tried_again(AppendResult outcome) const { return outcome == AppendResult::failed && !finish_; }

    // Those that the profile named before this recovery, without those that stage, in the order of their
    // start.
    std::set<uint64_t> unended_processes() const {
        std::set<uint64_t> unended;
        for (const ChunkView& chunk : reader_.chunks()) {
            if (static_cast<ChunkKind>(chunk.header.kind) == ChunkKind::process)
                unended.insert(chunk.header.process);
        }
        for (const ChunkView& chunk : reader_.chunks()) {
            // Of a thread only its accesses have ended.
            if (static_cast<ChunkKind>(chunk.header.kind) == ChunkKind::end && chunk.header.thread == 0)
                unended.erase(chunk.header.process);
        }
        for (const uint64_t process : staged_) unended.erase(process);
        for (const uint64_t process : living_) unended.erase(process);
        return unended;
    }

    void end_without_events(uint64_t process) {
        append(ends_, make_end_chunk(process, ProcessState::recording, 0));
    }

    AppendResult append(ProfileFile& profile, const std::vector<unsigned char>& chunk) {
        ChunkHeader header;
        memcpy(&header, chunk.data(), sizeof header);
        if (reader_.holds(header)) return AppendResult::written;
        const AppendResult outcome = profile.append(chunk.data(), chunk.size());
        if (outcome == AppendResult::limit) result_.limit_reached = true;
        if (outcome == AppendResult::failed) result_.write_failed = true;
        return outcome;
    }

    const std::string& path_;
    uint64_t maximum_bytes_;
    bool finish_;
    bool is_window_;
    Recovery& result_;
    ChunkReader reader_;
    ProfileFile profile_;
    ProfileFile ends_;
    std::set<uint64_t> living_;
    std::set<uint64_t> staged_;  // and ended
    Ending ending_;              // of the process whose files are being taken
};

void count_end(const ChunkView& chunk, Recovery& result) {
    std::vector<unsigned char> payload;
    if (!ChunkReader::decode(chunk, payload)) return;
    const ProcessEnd end = parse_end(payload);
    result.dropped += end.dropped;
    result.limit_reached |= end.state == ProcessState::limit || end.accesses == reached_limit;
    result.write_failed |= end.state == ProcessState::failed || end.accesses == not_written;
}

void count(const ChunkReader& reader, Recovery& result) {
    for (const ChunkView& chunk : reader.chunks()) {
        switch (static_cast<ChunkKind>(chunk.header.kind)) {
            case ChunkKind::process:
                ++result.processes;
                break;
            case ChunkKind::contexts:
                result.contexts += believable_records(chunk.header);
                break;
            case ChunkKind::events:
                result.events += believable_records(chunk.header);
                break;
            case ChunkKind::end:
                count_end(chunk, result);
                break;
            default:
                break;
        }
    }
}

Recovery recovered(const std::string& path, uint64_t maximum_bytes, bool finish, bool is_window) {
    Recovery result;
    Recoverer recoverer(path, maximum_bytes, finish, is_window, result);
    const std::vector<StageFile> files = list_stage_files(path);
    // Without the folder all this was done before.
    const bool ends = finish && access((path + ".staging").c_str(), F_OK) == 0;
    // Opening reads the whole profile, which every second of a long recording cannot bear.
    const bool takes =
        is_window || std::ranges::any_of(files, [](const auto& file) { return !stages_now(file); });
    if (!finish && !takes) return result;
    if ((ends || !files.empty()) && !recoverer.open()) return result;
    for (const StageFile& file : files) recoverer.take(file);
    recoverer.write_end();
    if (ends) recoverer.end_silent();
    result.living = recoverer.living();
    if (!finish) return result;
    ChunkReader reader;
    if (!reader.open_without_stages(path.c_str())) {
        result.problem = reader.problem();
        return result;
    }
    count(reader, result);
    result.file_bytes = reader.file_bytes();
    if (finish && result.living == 0) {
        if (truncate(path.c_str(), static_cast<off_t>(reader.whole_bytes())) == 0)
            result.file_bytes = reader.whole_bytes();
        rmdir((path + ".staging").c_str());
    }
    return result;
}

}  // namespace

std::string create_profile(const std::string& path, uint64_t created) {
    const FileHeader header = make_file_header(created);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return "cannot create " + path + ": " + strerror(errno);
    const bool written = write(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    if (!written || mkdir((path + ".staging").c_str(), 0777) != 0) {
        const std::string problem =
            "cannot create " + path + ": " + strerror(written || errno != 0 ? errno : ENOSPC);
        unlink(path.c_str());
        close(file);
        return problem;
    }
    close(file);
    return {};
}

Recovery recover(const std::string& path, uint64_t maximum_bytes, bool finish) {
    return recovered(path, maximum_bytes, finish, false);
}

Recovery recover_window(const std::string& path, uint64_t maximum_bytes) {
    return recovered(path, maximum_bytes, true, true);
}

}  // namespace malloom::stream
