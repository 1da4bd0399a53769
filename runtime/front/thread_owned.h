// Heaps that have an instance for each thread: which one is the calling thread's, and what ends of threads
// and forks mean to it.
#pragma once

#include <limits.h>
#include <pthread.h>

#include "runtime/heaps/heap.h"
#include "runtime/platform/undisturbed.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::front {

/// - join: an instance for a thread that has none, a new one or that of an ended thread; null where there is
/// none. leave: its thread ends, and uses it no more.
/// - lock: of all that changes but for a thread's own use. after_fork_in_child: in the only thread that is
/// left, which has the lock, with its instance, null where it has none. More than once is no harm.
template <typename Heap, typename Instance>
concept HeapOfInstances = requires(Heap& heap, Instance& instance, Instance* known) {
    { heap.join() } -> heaps::same_as<Instance*>;
    heap.leave(instance);
    { heap.lock() } -> heaps::same_as<structures::ForkLock&>;
    heap.after_fork_in_child(known);
    instance.rounds++;  // of destructors that the ending thread has gone through
};

/// Of one heap at a time. Threads is a type with three functions: `own()`, a reference to the calling
/// thread's pointer; `none()`, the stand-in of a thread that has no instance yet; `away()`, of one that may
/// have none now. Stand-ins serve nothing.
template <typename Heap, typename Instance, typename Threads>
    requires HeapOfInstances<Heap, Instance>
class ThreadOwned {
  public:
    using OnThreadEnd = void (*)(void* instance);

    /// Opens the heap by `opens`, once, and watches it from then on. False where that fails, and while a
    /// signal handler interrupts the opening.
    template <typename Opens>
    bool open(Heap& heap, OnThreadEnd told, Opens opens) {
        if (opening_.is_mine()) {
            return watched_ == &heap;
        }
        const structures::Locked locked(opening_);
        if (watched_ == &heap) {
            return true;
        }
        if (!opens()) {
            return false;
        }
        watched_ = &heap;
        watch_ends(told);  // who sees the key sees the heap
        return true;
    }

    /// For tests: no other thread is left. False where it is not the heap that is watched.
    bool close(const Heap& heap) {
        if (watched_ != &heap) {
            return false;
        }
        if (__atomic_load_n(&is_watching_, __ATOMIC_ACQUIRE)) {
            pthread_setspecific(end_key_, nullptr);
        }
        Threads::own() = &Threads::none();
        watched_ = nullptr;
        return true;
    }

    /// A shared library takes its code along when it is closed: threads that end later must not look for it.
    void forget_ends() {
        if (__atomic_exchange_n(&is_watching_, false, __ATOMIC_ACQ_REL)) {
            pthread_key_delete(end_key_);
        }
    }

    /// The calling thread's, made where it has none; else a stand-in.
    Instance& joined() {
        Instance* self = Threads::own();
        if (self != &Threads::none() || !__atomic_load_n(&is_watching_, __ATOMIC_ACQUIRE)) [[likely]] {
            return *self;
        }
        if (watched_ != nullptr) {  // else it is closed
            join();
        }
        return *Threads::own();
    }

    /// Destructors of other keys may still use the heap: the key is set again until the last round but one.
    /// In the last one ThreadSanitizer takes its leave of the thread.
    void on_thread_end(Instance& self) {
        if (++self.rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
            pthread_setspecific(end_key_, &self);
            return;
        }
        // As in join.
        const platform::Undisturbed undisturbed;
        Threads::own() = &Threads::away();
        if (watched_ != nullptr) {
            watched_->leave(self);
        }
    }

    /// Other handlers of a fork may allocate: the forking thread is away while the heap is locked. Who forks
    /// may be a signal handler that interrupted the opening, or another fork of its thread. Such a handler
    /// may come between any two of these lines.
    void before_fork() {
        opening_.hold_for_fork();
        Instance* self = Threads::own();
        Threads::own() = &Threads::away();
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (forking_ != nullptr) {
            ++further_forks_;
        } else {
            forking_ = self;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (watched_ != nullptr) {
            watched_->lock().hold_for_fork();
        }
    }
    void after_fork() {
        if (watched_ != nullptr) {
            watched_->lock().end_fork();
        }
        if (further_forks_ != 0) {
            --further_forks_;
        } else {
            Instance* self = forking_;
            forking_ = nullptr;
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            Threads::own() = self;
        }
        opening_.end_fork();
    }
    /// Where a handler forked within a fork that goes on in its child.
    void after_fork_in_child() {
        if (watched_ != nullptr) {
            watched_->after_fork_in_child(instance_of_forking());
        }
        after_fork();
    }

  private:
    // In the child of a handler that forks meanwhile the instance would be nobody's, and go with those of all
    // other threads, though the thread uses it when the handler returns.
    void join() {
        const platform::Undisturbed undisturbed;
        if (Threads::own() != &Threads::none()) {
            return;  // a handler was first
        }
        Threads::own() = &Threads::away();  // what follows may allocate
        Instance* self = watched_->join();
        if (self != nullptr) {
            self->rounds = 0;
            pthread_setspecific(end_key_, self);
        }
        Threads::own() = self != nullptr ? self : &Threads::none();
    }
    void watch_ends(OnThreadEnd told) {
        if (!is_watching_ && pthread_key_create(&end_key_, told) == 0) {
            __atomic_store_n(&is_watching_, true, __ATOMIC_RELEASE);
        }
    }
    /// Null where it has none. Its key does not know it from when the thread ends until on_thread_end is
    /// told.
    Instance* instance_of_forking() const {
        if (forking_ != &Threads::none() && forking_ != &Threads::away()) {
            return forking_;
        }
        const bool has_key = __atomic_load_n(&is_watching_, __ATOMIC_ACQUIRE);
        return has_key ? static_cast<Instance*>(pthread_getspecific(end_key_)) : nullptr;
    }

    pthread_key_t end_key_ = 0;
    bool is_watching_ = false;
    Heap* watched_ = nullptr;
    structures::ForkLock opening_;  ///< what is watched changes under it
    Instance* forking_ = nullptr;   ///< what the thread had that forks, where one does; under the lock
    unsigned further_forks_ = 0;    ///< within that fork; likewise
};

/// What the system calls back, for a ThreadOwned that is a constant-initialized variable: it has no other
/// way to it.
template <auto& instances, typename Instance>
struct Callbacks {
    static void on_thread_end(void* self) { instances.on_thread_end(*static_cast<Instance*>(self)); }
    /// From a constructor of priority 101: before the program's own handlers of forks, which then come while
    /// nothing is locked. They may wait for threads that ask for objects.
    static void watch_forks() {
        pthread_atfork([] { instances.before_fork(); }, [] { instances.after_fork(); },
                       [] { instances.after_fork_in_child(); });
    }
};

}  // namespace malloom::front
