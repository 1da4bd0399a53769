// Heaps that have an instance for each thread: which one is the calling thread's, and what ends of threads
// and forks mean to it.
#pragma once

#include <limits.h>
#include <pthread.h>

#include "runtime/heaps/heap.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::front {

/// - join: an instance for a thread that has none, a new one or that of an ended thread; null where there is
/// none. leave: its thread ends, and uses it no more.
/// - before_fork, after_fork: around a fork, in the thread that forks. after_fork_in_child: as after_fork, of
/// the only thread that is left; its instance, null where it has none.
template <typename Heap, typename Instance>
concept HeapOfInstances = requires(Heap& heap, Instance& instance, Instance* known) {
    { heap.join() } -> heaps::same_as<Instance*>;
    heap.leave(instance);
    heap.before_fork();
    heap.after_fork();
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
        if (watched_ == nullptr) {
            return *self;  // it is closed
        }
        Threads::own() = &Threads::away();  // what follows may allocate
        self = watched_->join();
        if (self != nullptr) {
            self->rounds = 0;
            pthread_setspecific(end_key_, self);
        }
        Threads::own() = self != nullptr ? self : &Threads::none();
        return *Threads::own();
    }

    /// Destructors of other keys may still use the heap: the key is set again until the last round but one.
    /// In the last one ThreadSanitizer takes its leave of the thread.
    void on_thread_end(Instance& self) {
        if (++self.rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
            pthread_setspecific(end_key_, &self);
            return;
        }
        Threads::own() = &Threads::away();
        if (watched_ != nullptr) {
            watched_->leave(self);
        }
    }

    /// Other handlers of a fork may allocate: the forking thread is away while the heap is locked. Who forks
    /// may be a signal handler that interrupted the opening.
    void before_fork() {
        const bool is_opening = opening_.is_mine();
        if (!is_opening) {
            opening_.lock();
        }
        has_locked_opening_ = !is_opening;
        Instance* self = Threads::own();
        Threads::own() = &Threads::away();
        if (watched_ != nullptr) {
            watched_->before_fork();
        }
        forking_ = self;
    }
    void after_fork() {
        Instance* self = forking_;
        if (watched_ != nullptr) {
            watched_->after_fork();
        }
        end_fork(self);
    }
    void after_fork_in_child() {
        Instance* self = forking_;
        if (watched_ != nullptr) {
            // After forget_ends a thread's instance is known by the thread alone.
            const bool has_key = __atomic_load_n(&is_watching_, __ATOMIC_ACQUIRE);
            watched_->after_fork_in_child(has_key ? static_cast<Instance*>(pthread_getspecific(end_key_))
                                                  : self);
        }
        end_fork(self);
    }

  private:
    void watch_ends(OnThreadEnd told) {
        if (!is_watching_ && pthread_key_create(&end_key_, told) == 0) {
            __atomic_store_n(&is_watching_, true, __ATOMIC_RELEASE);
        }
    }
    void end_fork(Instance* self) {
        Threads::own() = self;
        if (has_locked_opening_) {
            opening_.unlock();
        }
    }

    pthread_key_t end_key_ = 0;
    bool is_watching_ = false;
    Heap* watched_ = nullptr;
    structures::ThreadLock opening_;   ///< what is watched changes under it
    Instance* forking_ = nullptr;      ///< under the lock
    bool has_locked_opening_ = false;  ///< likewise
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
