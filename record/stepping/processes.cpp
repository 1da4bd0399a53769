#include "record/stepping/processes.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "record/stream/staging.h"

namespace malloom::stepping {

namespace {

namespace fs = std::filesystem;

// So many threads of a process are looked at for one that runs: those of a process with many mostly wait.
constexpr size_t most_looked_at = 16;

std::string in_proc(pid_t process, const std::string& rest) {
    return "/proc/" + std::to_string(process) + rest;
}

std::string contents(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Recorder find_recorder(pid_t process, const std::string& name) {
    Recorder found;
    std::istringstream lines(contents(in_proc(process, "/maps")));
    for (std::string line; std::getline(lines, line);) {
        if (!line.ends_with(name)) {
            continue;
        }
        uintptr_t start = 0, end = 0;
        const char* const last = line.data() + line.size();
        const auto [dash, problem] = std::from_chars(line.data(), last, start, 16);
        if (problem != std::errc() || std::from_chars(dash + 1, last, end, 16).ec != std::errc()) {
            continue;
        }
        if (found.start == 0) {
            found.start = start;
        }
        found.end = end;
    }
    return found;
}

// The letter behind the name, which may itself have any letters.
bool is_running(pid_t process, pid_t thread) {
    const std::string stat = contents(in_proc(process, "/task/" + std::to_string(thread) + "/stat"));
    const size_t name_ends = stat.rfind(')');
    return name_ends != std::string::npos && name_ends + 2 < stat.size() && stat[name_ends + 2] == 'R';
}

std::vector<pid_t> threads_of(pid_t process) {
    std::vector<pid_t> threads;
    std::error_code problem;
    for (const fs::directory_entry& entry : fs::directory_iterator(in_proc(process, "/task"), problem)) {
        threads.push_back(std::atoi(entry.path().filename().c_str()));
    }
    return threads;
}

uint64_t next_random(uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Of the file in which a process stages; 0 for others.
uint64_t identity_of(const std::string& name) {
    uint64_t identity = 0;
    const char* const last = name.data() + name.size();
    const auto [rest, problem] = std::from_chars(name.data(), last, identity, 16);
    return problem == std::errc() && std::string_view(rest, last) == "-process" ? identity : 0;
}

}  // namespace

std::vector<RecordedProcess> recorded_processes(const std::string& staging, const std::string& recorder,
                                                const std::vector<RecordedProcess>& known) {
    std::vector<RecordedProcess> found;
    std::error_code problem;
    for (const fs::directory_entry& entry : fs::directory_iterator(staging, problem)) {
        const uint64_t identity = identity_of(entry.path().filename());
        const auto seen = std::ranges::find(known, identity, &RecordedProcess::identity);
        if (seen != known.end()) {
            found.push_back(*seen);
            continue;
        }
        const auto pid = static_cast<pid_t>(stream::pid_of(identity));
        const Recorder loaded = identity != 0 ? find_recorder(pid, recorder) : Recorder{};
        if (loaded.start != 0) {
            found.push_back({identity, pid, loaded});
        }
    }
    return found;
}

pid_t running_thread(pid_t process, uint64_t& random) {
    const std::vector<pid_t> threads = threads_of(process);
    if (threads.empty()) {
        return 0;
    }
    const size_t first = next_random(random) % threads.size();
    for (size_t i = 0; i < threads.size() && i < most_looked_at; ++i) {
        const pid_t thread = threads[(first + i) % threads.size()];
        if (is_running(process, thread)) {
            return thread;
        }
    }
    return 0;
}

uint64_t cpu_time_of(pid_t process) {
    clockid_t clock = 0;
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return 0;
    }
    return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

uint64_t cpu_time_of_thread(pid_t process, pid_t thread) {
    uint64_t used = 0;
    std::istringstream(contents(in_proc(process, "/task/" + std::to_string(thread) + "/schedstat"))) >> used;
    return used;
}

}  // namespace malloom::stepping
