// libmalloom.so: the malloc family over the run time's heap.
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "runtime/front/planned_prefetches.h"
#include "runtime/front/run_time.h"

namespace malloom::front {

namespace {

constinit RunTime run_time;

}  // namespace

inline RunTime& process_heap() {
    return run_time;
}

}  // namespace malloom::front

#include "runtime/front/malloc_entries.h"
// Over the entries.
#include "runtime/front/annotation_entries.h"
#include "runtime/front/c_library_entries.h"
#include "runtime/front/token_entries.h"

namespace malloom::front {

namespace {

constexpr malloom_entries guarded_entries() {
    malloom_entries entries = Entries<>::asked;
    entries.release = [](void* object) {
        process_heap().check_guard(object);
        deallocate(object);
    };
    return entries;
}

}  // namespace

constinit EntryWays entry_ways = {Entries<>::asked,       Entries<>::asked,  Entries<>::by_size,
                                  Entries<>::in_mimalloc, guarded_entries(), Entries<>::others};

static void before_process_control(int option, unsigned long word) {
    if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS) {
        process_heap().prepare_for_few_calls();
    }
    if (option == PR_SET_SECCOMP && word == SECCOMP_MODE_STRICT) {
        process_heap().prepare_for_no_calls();
    }
}

// As where the process has a filter already: calls are as good as they were.
static void after_refused_process_control(int option, unsigned long word) {
    if (option == PR_SET_SECCOMP && word == SECCOMP_MODE_STRICT) {
        process_heap().expect_calls_again();
    }
}

}  // namespace malloom::front

#include "runtime/front/exec_entries.h"
#include "runtime/front/process_control_entry.h"

namespace {

// The C library is ready when constructors run, and other libraries' constructors may come after.
[[gnu::destructor]] void finish_run_time() {
    malloom::front::process_heap().finish();
}
[[gnu::constructor]] void start_run_time() {
    malloom::front::process_heap().start();
    malloom::front::planned_prefetches.put_in();
    at_quick_exit(finish_run_time);
}

}  // namespace
