// The file that `tasks` is given: settings, then a graph of tasks, all in words of 32 bits.
// src/malloom/bench/bins/tasks.py writes it.
#pragma once

#include <stdint.h>

#include "firmware/board.h"

namespace malloom::bench::bins {

/// Where the cores' buffers come from.
enum class Heaps : uint32_t {
    one,        ///< of all cores, with a lock
    each,       ///< each core's own, whose instance all cores see, and a lock for each
    collected,  ///< each core's own, whose instance it alone sees; others give back to a post in shared
                ///< memory
    generated   ///< of all cores, with a lock, whose function to a bin the first core generates for all
};

/// The words at the begin. Sizes are bytes.
struct TaskHeader {
    static constexpr uint32_t right_magic = 0x4b534154;  ///< "TASK"
    static constexpr uint32_t right_version = 1;

    uint32_t magic;
    uint32_t version;
    Heaps heaps;
    uint32_t heap_bytes;  ///< of all heaps together
    uint32_t fills;       ///< 1: each byte of a buffer is written and checked; 0: the first and the last one
    uint32_t tasks;
    uint32_t edges;
};

/// The tasks that come next to it are numbers in one list, those that come before it in another one.
struct Task {
    uint32_t bytes;  ///< of its buffer
    uint32_t work;   ///< cycles that pass before it ends
    uint32_t first_successor;
    uint32_t successors;
    uint32_t first_predecessor;
    uint32_t predecessors;
};

struct TaskList {
    const uint32_t* first;
    uint32_t count;
    const uint32_t* begin() const { return first; }
    const uint32_t* end() const { return first + count; }
};

struct TaskGraph {
    const TaskHeader* header;
    const Task* tasks;
    const uint32_t* successors;
    const uint32_t* predecessors;

    TaskList after(const Task& task) const { return {successors + task.first_successor, task.successors}; }
    TaskList before(const Task& task) const {
        return {predecessors + task.first_predecessor, task.predecessors};
    }
};

/// Without a header where the data is no such file.
inline TaskGraph task_graph(const board_range& data) {
    const auto* header = reinterpret_cast<const TaskHeader*>(data.begin);
    if (data.bytes < sizeof(TaskHeader) || header->magic != TaskHeader::right_magic ||
        header->version != TaskHeader::right_version) {
        return {};
    }
    const size_t bytes = data.bytes - sizeof(TaskHeader);
    if (header->tasks > bytes / sizeof(Task) || header->edges > bytes / sizeof(uint32_t) / 2 ||
        bytes != header->tasks * sizeof(Task) + 2 * header->edges * sizeof(uint32_t)) {
        return {};
    }
    const auto* tasks = reinterpret_cast<const Task*>(header + 1);
    const auto* successors = reinterpret_cast<const uint32_t*>(tasks + header->tasks);
    return {header, tasks, successors, successors + header->edges};
}

}  // namespace malloom::bench::bins
