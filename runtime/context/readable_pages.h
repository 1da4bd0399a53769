// Reads other people's stacks without ever faulting.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// Asks the kernel whether the 8 bytes at `address` can be read. One system call; keeps errno; any thread,
/// signal handlers too. (rt_sigprocmask copies its set in before it refuses a `how` that does not exist:
/// EFAULT or EINVAL, and nothing has changed. Every sandbox allows it.)
bool kernel_can_read(uintptr_t address);

/// Remembers for this thread which pages of stacks are readable, so that the kernel is asked once a page.
/// What a thread has seen readable stays so in its own stack; of a coroutine's stack that was unmapped since,
/// it may be wrong.
class ReadablePages {
  public:
    static constexpr uintptr_t page_of(uintptr_t address) { return address >> page_shift; }

    [[gnu::always_inline]] static bool holds(uintptr_t address) {
        const uintptr_t page = page_of(address);
        if (pages_[page % slots] == page) {
            [[likely]] return true;
        }
        return ask(address);
    }

  private:
    // The smallest page there is: a larger one is merely asked about more often.
    static constexpr unsigned page_shift = 12;
    static constexpr unsigned slots = 16;

    static bool ask(uintptr_t address);

    // 128 bytes of the static TLS block. It is constinit.
    // NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
    [[gnu::tls_model("initial-exec")]] static thread_local constinit uintptr_t pages_[slots];
};

}  // namespace malloom::context
