#include "record/accesses/thread_recording.h"

#include <drmgr.h>
#include <stddef.h>

#include "formats/profile.h"
#include "record/accesses/access_chunks.h"
#include "record/accesses/address_filter.h"
#include "record/accesses/bursts.h"
#include "record/accesses/recorder_library.h"
#include "record/accesses/shapes.h"

namespace malloom::accesses {

using namespace formats::profile;
using stream::AccessShape;

namespace {

// 256 KiB: it stays in the second-level cache until it is encoded, and is enough for the compressor to find
// what repeats.
constexpr size_t buffer_words = 32768;
constexpr size_t buffer_bytes = (buffer_words + most_words_of_block) * sizeof(uint64_t);

enum Slot : unsigned { slot_cursor, slot_limit, slot_count };
reg_id_t slots_segment;
uint slots_offset;
int thread_field = -1;

struct ThreadRecording {
    uint64_t* buffer;
    uint64_t** slots;  // the thread's raw TLS, reachable from other threads too
    AccessChunks chunks;
    AddressFilter filter;
    uint32_t id;
    process_id_t process;
    uint32_t burst;
    bool after_gap;
    ThreadRecording* next;
    ThreadRecording* previous;

    // Shapes that were reduced before.
    static constexpr size_t reduced_entries = 256;
    struct Reduced {
        uint64_t dropped;
        uint32_t shape, left;
    };
    Reduced reduced[reduced_entries];

    bool begin(void* drcontext);
    void end();
    void put(const AccessShape& executed, const uint64_t* bases);
    void write_chunk();
    void flush();
    void begin_buffer();
};

ThreadRecording* threads;
void* threads_lock;

uint64_t marker(AccessKind kind, uint64_t ticket) {
    return static_cast<uint64_t>(kind) << access_kind_shift | ticket;
}

bool ThreadRecording::begin(void* drcontext) {
    id = dr_get_thread_id(drcontext);
    process = dr_get_process_id();
    buffer =
        static_cast<uint64_t*>(dr_raw_mem_alloc(buffer_bytes, DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (buffer == nullptr || !chunks.begin(buffer_words + most_words_of_block)) return false;
    auto* const segment = static_cast<byte*>(dr_get_dr_segment_base(slots_segment));
    slots = reinterpret_cast<uint64_t**>(segment + slots_offset);
    slots[slot_cursor] = buffer;
    burst = bursts::current();
    slots[slot_limit] = nullptr;  // the first block asks for the marker that begins a buffer
    return true;
}

void ThreadRecording::end() {
    chunks.end();
    if (buffer != nullptr) dr_raw_mem_free(buffer, buffer_bytes);
}

// An execution of a shape, without the bases that cannot reach the heap.
void ThreadRecording::put(const AccessShape& executed, const uint64_t* bases) {
    const uint64_t dropped = filter.dropped(executed, bases);
    if (dropped == 0) {
        chunks.put(executed, bases);
        return;
    }
    Reduced& known = reduced[(executed.id ^ dropped) % reduced_entries];
    if (known.shape != executed.id || known.dropped != dropped)
        known = {dropped, executed.id, shape_without(executed.id, dropped)};
    if (known.left == no_shape) return;
    uint64_t left[AccessShape::most_bases];
    unsigned count = 0;
    for (unsigned i = 0; i < executed.bases; ++i)
        if ((dropped >> i & 1) == 0) left[count++] = bases[i];
    chunks.put(shape(known.left), left);
}

// A gap is written as soon as there is an access after it.
void ThreadRecording::write_chunk() {
    const size_t accesses = chunks.accesses();
    if (accesses == 0) return;
    if (!chunks.append(id)) bursts::stop();
    after_gap = false;
    bursts::count(accesses);
}

// The buffer holds a marker and then words: markers, or a shape's id and its bases. In a pause it is thrown
// away: code that is linked into a loop goes on filling it until something else takes the thread out.
void ThreadRecording::flush() {
    const uint64_t* word = buffer;
    const uint64_t* const end = slots[slot_cursor];
    if (end - word <= 1 || process_identity() == 0 || !bursts::recording()) return;
    filter.refresh();
    chunks.begin_chunk(*word++);
    while (word < end) {
        if (!chunks.has_room()) {
            write_chunk();
            chunks.begin_chunk(marker(AccessKind::time, buffer[0] & access_ticket_mask));
        }
        if (*word >> access_kind_shift != 0) {
            chunks.put_marker(*word++);
            continue;
        }
        const AccessShape& executed = shape(static_cast<uint32_t>(*word++));
        put(executed, word);
        word += executed.bases;
    }
    write_chunk();
}

void ThreadRecording::begin_buffer() {
    after_gap = after_gap || burst != bursts::current();
    burst = bursts::current();
    buffer[0] = marker(after_gap ? AccessKind::gap : AccessKind::time, last_ticket());
    slots[slot_cursor] = buffer + 1;
    slots[slot_limit] = buffer + buffer_words;
}

void link_thread(ThreadRecording* thread) {
    dr_mutex_lock(threads_lock);
    thread->previous = nullptr;
    thread->next = threads;
    if (threads != nullptr) threads->previous = thread;
    threads = thread;
    dr_mutex_unlock(threads_lock);
}

void unlink_thread(ThreadRecording* thread) {
    dr_mutex_lock(threads_lock);
    (thread->previous != nullptr ? thread->previous->next : threads) = thread->next;
    if (thread->next != nullptr) thread->next->previous = thread->previous;
    dr_mutex_unlock(threads_lock);
}

ThreadRecording* recording_of(void* drcontext) {
    return static_cast<ThreadRecording*>(drmgr_get_tls_field(drcontext, thread_field));
}

void begin_thread(void* drcontext) {
    auto* const thread = static_cast<ThreadRecording*>(dr_global_alloc(sizeof(ThreadRecording)));
    *thread = {};
    drmgr_set_tls_field(drcontext, thread_field, thread);
    if (!thread->begin(drcontext)) {
        dr_fprintf(STDERR, "malloom: no memory to record the accesses of a thread\n");
        dr_abort();
    }
    dr_mcontext_t registers;
    registers.size = sizeof registers;
    registers.flags = DR_MC_CONTROL;
    dr_get_mcontext(drcontext, &registers);
    thread->filter.begin_thread(registers.xsp);
    link_thread(thread);
}

// In the child of a fork DynamoRIO ends the parent's other threads. What they have buffered the parent
// writes.
void end_thread(void* drcontext) {
    ThreadRecording* const thread = recording_of(drcontext);
    unlink_thread(thread);
    if (thread->process == dr_get_process_id()) thread->flush();
    thread->end();
    dr_global_free(thread, sizeof *thread);
}

opnd_t slot_operand(void* drcontext, Slot slot) {
    return dr_raw_tls_opnd(drcontext, slots_segment, slots_offset + slot * static_cast<uint>(sizeof(void*)));
}

}  // namespace

bool init_thread_recording() {
    threads_lock = dr_mutex_create();
    thread_field = drmgr_register_tls_field();
    return thread_field >= 0 && dr_raw_tls_calloc(&slots_segment, &slots_offset, slot_count, 0) &&
           drmgr_register_thread_init_event(begin_thread) && drmgr_register_thread_exit_event(end_thread);
}

void exit_thread_recording() {
    dr_raw_tls_cfree(slots_offset, slot_count);
    drmgr_unregister_tls_field(thread_field);
    dr_mutex_destroy(threads_lock);
}

bool records_one_thread() {
    dr_mutex_lock(threads_lock);
    const bool is_one = threads == nullptr || threads->next == nullptr;
    dr_mutex_unlock(threads_lock);
    return is_one;
}

opnd_t cursor_operand(void* drcontext) {
    return slot_operand(drcontext, slot_cursor);
}

opnd_t limit_operand(void* drcontext) {
    return slot_operand(drcontext, slot_limit);
}

void buffer_full() {
    flush_current_thread(dr_get_current_drcontext());
}

void flush_current_thread(void* drcontext) {
    ThreadRecording* const thread = recording_of(drcontext);
    thread->flush();
    thread->begin_buffer();
}

void interrupt_all_threads() {
    dr_mutex_lock(threads_lock);
    for (ThreadRecording* thread = threads; thread != nullptr; thread = thread->next)
        __atomic_store_n(&thread->slots[slot_limit], nullptr, __ATOMIC_RELAXED);
    dr_mutex_unlock(threads_lock);
}

void restart_after_fork(void* drcontext) {
    ThreadRecording* const thread = recording_of(drcontext);
    thread->id = dr_get_thread_id(drcontext);
    thread->process = dr_get_process_id();
    thread->chunks.restart_sequence();
    thread->next = thread->previous = nullptr;
    threads = thread;
    thread->begin_buffer();
    // The child's tickets begin anew, which the recorder in it has not said yet.
    thread->buffer[0] &= ~access_ticket_mask;
}

}  // namespace malloom::accesses
