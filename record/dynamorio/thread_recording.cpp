#include "record/dynamorio/thread_recording.h"

#include <drmgr.h>
#include <stddef.h>

#include "formats/profile.h"
#include "record/dynamorio/access_chunks.h"
#include "record/dynamorio/address_filter.h"
#include "record/dynamorio/bursts.h"
#include "record/dynamorio/recorder_library.h"

namespace malloom::accesses {

using namespace formats::profile;

namespace {

// One chunk's entries: 256 KiB, which stay in the second-level cache until they are encoded, and enough for the
// compressor to find what repeats.
constexpr size_t buffer_entries = 32768;
constexpr size_t buffer_bytes = (buffer_entries + most_entries_of_block) * sizeof(uint64_t);

enum Slot : unsigned { slot_cursor, slot_limit, slot_count };
reg_id_t slots_segment;
uint slots_offset;
int thread_field = -1;

struct ThreadRecording {
    uint64_t* buffer;
    uint64_t** slots;  // the thread's raw TLS, reachable from other threads too
    ChunkEncoder encoder;
    AddressFilter filter;
    uint32_t id;
    uint32_t burst;
    bool after_gap;
    ThreadRecording* next;
    ThreadRecording* previous;

    bool begin(void* drcontext);
    void end();
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
    buffer = static_cast<uint64_t*>(dr_raw_mem_alloc(buffer_bytes, DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (buffer == nullptr || !encoder.begin(buffer_entries + most_entries_of_block)) return false;
    auto* const segment = static_cast<byte*>(dr_get_dr_segment_base(slots_segment));
    slots = reinterpret_cast<uint64_t**>(segment + slots_offset);
    slots[slot_cursor] = buffer;
    burst = bursts::current();
    slots[slot_limit] = nullptr;  // the first block asks for the markers that begin a buffer
    return true;
}

void ThreadRecording::end() {
    encoder.end();
    if (buffer != nullptr) dr_raw_mem_free(buffer, buffer_bytes);
}

// A buffer begins with a marker, which alone is worth no chunk. A gap is told as soon as there is something to tell
// after it.
void ThreadRecording::flush() {
    const size_t recorded = static_cast<size_t>(slots[slot_cursor] - buffer);
    if (recorded <= 1 || process_identity() == 0) return;
    const size_t kept = filter.keep_possible(buffer, recorded);
    if (kept <= 1) return;
    if (!encoder.append(buffer, kept, id, buffer[0] & access_ticket_mask)) {
        bursts::stop();
        return;
    }
    after_gap = false;
    bursts::count(kept - 1);
}

void ThreadRecording::begin_buffer() {
    after_gap = after_gap || burst != bursts::current();
    burst = bursts::current();
    buffer[0] = marker(after_gap ? AccessKind::gap : AccessKind::time, last_ticket());
    slots[slot_cursor] = buffer + 1;
    slots[slot_limit] = buffer + buffer_entries;
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

void end_thread(void* drcontext) {
    ThreadRecording* const thread = recording_of(drcontext);
    unlink_thread(thread);
    thread->flush();
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

// The other threads' recordings stay in memory: their threads, and with them their exit events, do not exist here.
void restart_after_fork(void* drcontext) {
    ThreadRecording* const thread = recording_of(drcontext);
    thread->id = dr_get_thread_id(drcontext);
    thread->encoder.restart_sequence();
    thread->next = thread->previous = nullptr;
    threads = thread;
    thread->begin_buffer();
}

}  // namespace malloom::accesses
