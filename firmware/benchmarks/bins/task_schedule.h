// Which tasks of a graph are ready, running and done, in memory that all cores share. A task is ready when
// all those before it have ended; its buffer is given back when all those after it have started.
#pragma once

#include <stdint.h>

#include "firmware/benchmarks/bins/core_heaps.h"
#include "firmware/benchmarks/bins/memory.h"
#include "firmware/benchmarks/bins/task_file.h"

namespace malloom::bench::bins {

constexpr uint32_t no_task = UINT32_MAX;

/// Who waits for others leaves the bus to them meanwhile.
inline void pause() {
    for (unsigned round = 0; round < 16; ++round) {
        __asm__ volatile("");
    }
}

class TaskSchedule {
  public:
    TaskSchedule(const TaskGraph& graph, BoardMemory& shared)
        : graph_(graph),
          state_(reinterpret_cast<State*>(shared.take(sizeof(State)))),
          ready_(words(shared)),
          not_ended_(words(shared)),
          not_started_(words(shared)),
          core_(words(shared)),
          buffer_(words(shared)) {}

    /// Before wait_for_all. False where there is no room.
    bool open() const {
        if (buffer_ == nullptr) {
            return false;
        }
        for (uint32_t task = 0; board_core() == 0 && task < graph_.header->tasks; ++task) {
            not_ended_[task] = graph_.tasks[task].predecessors;
            not_started_[task] = graph_.tasks[task].successors;
            if (not_ended_[task] == 0) {
                make_ready(task);
            }
        }
        return true;
    }

    /// Waits for one. None when all have ended.
    uint32_t next() const {
        while (state_->ended != graph_.header->tasks) {
            const uint32_t task = state_->first != state_->last ? first_ready() : no_task;
            if (task != no_task) {
                return task;
            }
            pause();
        }
        return no_task;
    }

    void set_buffer(uint32_t task, void* buffer) const {
        core_[task] = board_core();
        buffer_[task] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(buffer));
    }
    uint8_t* buffer(uint32_t task) const { return reinterpret_cast<uint8_t*>(uintptr_t{buffer_[task]}); }
    /// That the task ran on.
    unsigned core(uint32_t task) const { return core_[task]; }

    /// One of the tasks after it has started. Whether all have.
    bool is_last_start_after(uint32_t task) const {
        board_lock(lock_of_tasks);
        const bool is_last = one_less(not_started_[task]) == 0;
        board_unlock(lock_of_tasks);
        return is_last;
    }
    void end(uint32_t task) const {
        board_lock(lock_of_tasks);
        for (const uint32_t after : graph_.after(graph_.tasks[task])) {
            if (one_less(not_ended_[after]) == 0) {
                make_ready(after);
            }
        }
        state_->ended = state_->ended + 1;
        board_unlock(lock_of_tasks);
    }

    /// Returns when all cores have called it as often as this one.
    void wait_for_all() {
        board_lock(lock_of_tasks);
        state_->arrived = state_->arrived + 1;
        board_unlock(lock_of_tasks);
        arrivals_ += board_core_count();
        while (state_->arrived < arrivals_) {
            pause();
        }
    }

  private:
    struct State {
        volatile uint32_t first;  ///< of the ready tasks that none has taken
        volatile uint32_t last;   ///< the place behind them
        volatile uint32_t ended;
        volatile uint32_t arrived;
    };

    static uint32_t one_less(volatile uint32_t& count) {
        const uint32_t less = count - 1;
        count = less;
        return less;
    }
    volatile uint32_t* words(BoardMemory& shared) const {
        return reinterpret_cast<volatile uint32_t*>(shared.take(graph_.header->tasks * sizeof(uint32_t)));
    }
    void make_ready(uint32_t task) const {
        const uint32_t last = state_->last;
        ready_[last] = task;
        state_->last = last + 1;
    }
    uint32_t first_ready() const {
        board_lock(lock_of_tasks);
        const uint32_t first = state_->first;
        const bool is_there = first != state_->last;
        const uint32_t task = is_there ? ready_[first] : no_task;
        state_->first = first + is_there;
        board_unlock(lock_of_tasks);
        return task;
    }

    const TaskGraph& graph_;
    State* state_;
    volatile uint32_t* ready_;
    volatile uint32_t* not_ended_;
    volatile uint32_t* not_started_;
    volatile uint32_t* core_;
    volatile uint32_t* buffer_;
    uint32_t arrivals_ = 0;
};

}  // namespace malloom::bench::bins
