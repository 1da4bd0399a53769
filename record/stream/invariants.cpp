#include "record/stream/invariants.h"

#include <string.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "record/stream/records.h"

namespace malloom::stream {

using namespace formats::profile;

namespace {

/// All that a profile says about one process image.
struct Process {
    std::vector<EventRecord> events;
    std::set<uint32_t> contexts;
    std::set<uint32_t> modules;
    std::set<uint32_t> modules_named;
    bool lossy = false;
};

class Checker {
  public:
    explicit Checker(size_t limit) : limit_(limit) {}

    void add(const ChunkView& chunk) {
        std::vector<unsigned char> payload;
        const ChunkHeader& header = chunk.header;
        if (!ChunkReader::decode(chunk, payload)) return complain(header.process, "a chunk does not decode");
        sequences_[{header.process, header.thread, header.kind}].push_back(header.sequence);
        Process& process = processes_[header.process];
        switch (static_cast<ChunkKind>(header.kind)) {
            case ChunkKind::events:
                return add_events(header, payload, process);
            case ChunkKind::contexts:
                return add_contexts(header, payload, process);
            case ChunkKind::module:
                return add_module(payload, process);
            case ChunkKind::end:
                return add_end(payload, process);
            default:
                return;
        }
    }

    std::vector<std::string> finish() {
        for (auto& [key, numbers] : sequences_) check_sequence(std::get<0>(key), numbers);
        for (auto& [identity, process] : processes_) check_process(identity, process);
        return std::move(broken_);
    }

  private:
    void complain(uint64_t process, const std::string& what) {
        if (broken_.size() < limit_) broken_.push_back("process " + std::to_string(process) + ": " + what);
    }

    void add_events(const ChunkHeader& header, const std::vector<unsigned char>& payload, Process& process) {
        std::vector<EventRecord> events;
        if (!read_events(header, payload, events)) return complain(header.process, "events do not decode");
        process.events.insert(process.events.end(), events.begin(), events.end());
    }

    void add_contexts(const ChunkHeader& header, const std::vector<unsigned char>& payload,
                      Process& process) {
        size_t offset = 0;
        for (uint64_t i = 0; i < header.records; ++i) {
            ContextRecord context;
            if (payload.size() - offset < sizeof context) return complain(header.process, "contexts are cut");
            memcpy(&context, payload.data() + offset, sizeof context);
            offset += sizeof context;
            if ((payload.size() - offset) / sizeof(FrameRecord) < context.frames)
                return complain(header.process, "frames are cut");
            if (!process.contexts.insert(context.context).second)
                complain(header.process, "a context is defined twice");
            for (uint32_t n = 0; n < context.frames; ++n, offset += sizeof(FrameRecord)) {
                FrameRecord frame;
                memcpy(&frame, payload.data() + offset, sizeof frame);
                if (frame.module != no_module) process.modules_named.insert(frame.module);
            }
        }
        if (offset != payload.size()) complain(header.process, "bytes follow the contexts");
    }

    void add_module(const std::vector<unsigned char>& payload, Process& process) {
        for (const auto& [name, value] : parse_properties(payload)) {
            if (name == "index")
                process.modules.insert(static_cast<uint32_t>(strtoul(value.c_str(), nullptr, 10)));
        }
    }

    void add_end(const std::vector<unsigned char>& payload, Process& process) {
        const ProcessEnd end = parse_end(payload);
        process.lossy = end.dropped != 0 || end.state == ProcessState::limit ||
                        end.state == ProcessState::failed || end.state == ProcessState::stopped;
    }

    // A thread id that is used again begins again at 0, so several runs from 0 may be mixed.
    void check_sequence(uint64_t process, std::vector<uint32_t>& numbers) {
        std::map<uint32_t, size_t> times;
        for (const uint32_t number : numbers) ++times[number];
        uint32_t expected = 0;
        size_t most = SIZE_MAX;
        for (const auto& [number, count] : times) {
            if (number != expected++ || count > most)
                return complain(process, "a sequence of chunks has a hole");
            most = count;
        }
    }

    void check_process(uint64_t identity, Process& process) {
        std::sort(process.events.begin(), process.events.end(),
                  [](const EventRecord& a, const EventRecord& b) { return a.ticket < b.ticket; });
        for (const uint32_t module : process.modules_named) {
            if (!process.modules.contains(module))
                complain(identity, "module " + std::to_string(module) + " is missing");
        }
        if (!process.lossy) check_tickets(identity, process.events);
        check_events(identity, process);
    }

    void check_tickets(uint64_t identity, const std::vector<EventRecord>& events) {
        for (size_t i = 0; i < events.size(); ++i) {
            if (events[i].ticket != i + 1)
                return complain(identity, "ticket " + std::to_string(i + 1) + " is missing or repeated");
        }
    }

    void check_events(uint64_t identity, const Process& process) {
        std::unordered_map<uint64_t, bool> lives;
        for (const EventRecord& event : process.events) {
            const auto kind = static_cast<EventKind>(event.kind);
            const std::string at = " at ticket " + std::to_string(event.ticket);
            if (kind == EventKind::release || kind == EventKind::reallocate_release) {
                auto [object, before_recording] = lives.try_emplace(event.address, false);
                if (!before_recording && !object->second && !process.lossy)
                    complain(identity, "released twice" + at);
                object->second = false;
            } else if (kind == EventKind::allocate || kind == EventKind::allocate_zeroed ||
                       kind == EventKind::reallocate) {
                bool& live = lives[event.address];
                if (live && !process.lossy) complain(identity, "allocated twice" + at);
                live = true;
                if (!process.contexts.contains(event.context)) complain(identity, "unknown context" + at);
            }
        }
    }

    size_t limit_;
    std::vector<std::string> broken_;
    std::map<std::tuple<uint64_t, uint32_t, uint16_t>, std::vector<uint32_t>> sequences_;
    std::map<uint64_t, Process> processes_;
};

}  // namespace

std::vector<std::string> broken_invariants(const ChunkReader& reader, size_t limit) {
    Checker checker(limit);
    for (const ChunkView& chunk : reader.chunks()) checker.add(chunk);
    return checker.finish();
}

}  // namespace malloom::stream
