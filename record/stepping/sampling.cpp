#include "record/stepping/sampling.h"

#include <time.h>

#include <algorithm>

#include "formats/profile.h"
#include "record/stepping/traced_thread.h"
#include "record/stream/access_codec.h"
#include "record/stream/chunk_writer.h"

namespace malloom::stepping {

namespace {

// Nanoseconds. To look which processes there are takes as long as to stop one for a hundred steps.
constexpr double shortest_pause = 1e6, longest_pause = 50e6;
constexpr uint64_t between_looks = 250'000'000;

// In a row, after which the system is believed to refuse all.
constexpr unsigned most_refusals = 50;

uint64_t now_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void pause_for(uint64_t nanoseconds) {
    const timespec pause{static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
    nanosleep(&pause, nullptr);
}

}  // namespace

bool Sampling::open(const Options& options) {
    options_ = options;
    // Of a bounded profile a quarter is kept for requests: accesses without objects say nothing.
    const bool is_open = profile_.open(options_.profile.c_str(), options_.maximum_bytes / 4 * 3);
    profile_.keep_descriptors();  // in a process of malloom's own
    return is_open;
}

void Sampling::look_at_processes() {
    processes_ = recorded_processes(options_.profile + ".staging", options_.recorder, processes_);
    for (const RecordedProcess& process : processes_) {
        const uint64_t used = cpu_time_of(process.pid);
        used_.try_emplace(process.identity, Used{used, used});
    }
}

void Sampling::look_at_times() {
    for (const RecordedProcess& process : processes_) {
        uint64_t& now = used_.at(process.identity).now;
        now = std::max(now, cpu_time_of(process.pid));
    }
}

// What the stops took in the processes is a part of their own time.
uint64_t Sampling::allowed() const {
    uint64_t used = 0;
    for (const auto& [identity, times] : used_) {
        used += times.now - times.first;
    }
    return static_cast<uint64_t>(options_.share *
                                 static_cast<double>(used - std::min(used, totals_.stopped)));
}

uint64_t Sampling::spent() const {
    return now_of(CLOCK_PROCESS_CPUTIME_ID) - began_ + totals_.stopped;
}

// A burst of the next process that has a running thread. False where none has.
bool Sampling::take_one() {
    for (size_t i = 0; i < processes_.size(); ++i) {
        const RecordedProcess& process = processes_[next_++ % processes_.size()];
        const pid_t thread = running_thread(process.pid, random_);
        if (thread == 0) {
            continue;
        }
        const uint64_t before = cpu_time_of_thread(process.pid, thread);
        const Taken taken = take_burst(process, thread, options_.words, instructions_, entries_);
        totals_.stopped += std::max(cpu_time_of_thread(process.pid, thread), before) - before;
        note_refusal(taken == Taken::refused);
        return taken == Taken::some && write(process, thread);
    }
    return false;
}

// A thread that just ends is refused too, and so is one that a debugger has.
void Sampling::note_refusal(bool is_one) {
    refusals_ = is_one ? refusals_ + 1 : 0;
    totals_.is_refused = totals_.bursts == 0 && refusals_ >= most_refusals;
}

bool Sampling::write(const RecordedProcess& process, pid_t thread) {
    payload_.resize(stream::encode_accesses_bound(entries_.size()));
    const size_t bytes = stream::encode_accesses(entries_.data(), entries_.size(), payload_.data());
    chunk_.resize(stream::chunk_bound(bytes));
    const stream::ChunkIdentity identity{formats::profile::ChunkKind::accesses,
                                         process.identity,
                                         static_cast<uint32_t>(thread),
                                         chunks_[{process.identity, thread}]++,
                                         entries_.front() & formats::profile::access_ticket_mask,
                                         entries_.size()};
    const size_t length = stream::make_chunk(identity, payload_.data(), bytes, nullptr, chunk_.data());
    is_full_ = profile_.append(chunk_.data(), length) != stream::AppendResult::written;
    totals_.accesses += is_full_ ? 0 : entries_.size() - 1;
    totals_.bursts += is_full_ ? 0 : 1;
    return !is_full_;
}

Totals Sampling::run(const volatile bool& is_over) {
    // What it took to start comes at once, and would have to be earned before the first burst.
    began_ = now_of(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t looked = 0;
    while (!is_over && !is_full_ && !totals_.is_refused) {
        let_late_ones_go();
        const uint64_t now = now_of(CLOCK_MONOTONIC);
        if (now - looked >= between_looks) {
            look_at_processes();
            looked = now;
        }
        look_at_times();
        const uint64_t may = allowed();
        const uint64_t has = spent();
        if (has >= may) {
            const auto missing = static_cast<double>(has - may) / options_.share;
            pause_for(static_cast<uint64_t>(std::clamp(missing, shortest_pause, longest_pause)));
        } else if (!take_one()) {
            pause_for(static_cast<uint64_t>(shortest_pause));
        }
    }
    return totals_;
}

}  // namespace malloom::stepping
