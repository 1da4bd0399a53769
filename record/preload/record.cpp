// libmalloom_record.so: the malloc family over the recording heap.
#include "record/preload/recording_heap.h"

namespace malloom::front {

inline record::RecordingHeap& process_heap() {
    static constinit record::RecordingHeap heap;
    return heap;
}

}  // namespace malloom::front

#include "runtime/front/malloc_entries.h"
