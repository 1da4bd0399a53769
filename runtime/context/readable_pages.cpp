#include "runtime/context/readable_pages.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::context {

constinit thread_local uintptr_t ReadablePages::pages_[slots] = {};

bool kernel_can_read(uintptr_t address) {
    if (!platform::may_call()) {
        return false;
    }
    constexpr long no_such_how = -1;
    constexpr long kernel_sigset_bytes = 8;
    const int saved = errno;
    const long result = syscall(SYS_rt_sigprocmask, no_such_how, address, nullptr, kernel_sigset_bytes);
    const bool readable = result == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

bool ReadablePages::ask(uintptr_t address) {
    if (!kernel_can_read(address)) {
        return false;
    }
    const uintptr_t page = page_of(address);
    pages_[page % slots] = page;
    return true;
}

}  // namespace malloom::context
