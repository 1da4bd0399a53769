// libmalloom_record.so: the malloc family over the recording heap.
#include <sys/prctl.h>

#include "record/preload/image.h"
#include "record/preload/recording_heap.h"

namespace malloom::front {

inline record::RecordingHeap& process_heap() {
    static constinit record::RecordingHeap heap;
    return heap;
}

}  // namespace malloom::front

#include "runtime/front/malloc_entries.h"

namespace malloom::front {

// From then on the program may have no system call by which a full stage could be written; or, where it only
// makes ready to forbid some by a bare system call, none that opens a file.
static void before_process_control(int option, unsigned long) {
    if (option == PR_SET_SECCOMP && record::image != nullptr) {
        record::stop_for_good();
    }
    if (option == PR_SET_NO_NEW_PRIVS) {
        record::keep_profile();
    }
}

static void after_refused_process_control(int, unsigned long) {}

}  // namespace malloom::front

#include "record/preload/giving_up_entries.h"
#include "runtime/front/exec_entries.h"
#include "runtime/front/process_control_entry.h"
