// What a thread records: a buffer of words that instrumented code fills through a cursor in the thread's raw
// TLS.
//
// Instrumented code begins every block by comparing the cursor with the limit, and calls buffer_full() when
// it is above; below it there is room for all words that a block can write. Only the thread itself moves its
// cursor; another thread may lower its limit, so that it comes to buffer_full() at its next instrumented
// block.
#pragma once

#include <dr_api.h>
#include <stdint.h>

namespace malloom::accesses {

/// The most words that one block writes.
constexpr unsigned most_words_of_block = 8192;

/// Registers the thread events. False when the raw TLS slots or the drmgr field are not to be had.
bool init_thread_recording();
void exit_thread_recording();

/// Whether one thread, or none, has begun and not ended.
bool records_one_thread();

/// The raw TLS slots, as operands for instrumentation.
opnd_t cursor_operand(void* drcontext);
opnd_t limit_operand(void* drcontext);

/// Called by instrumented code: writes what the current thread has recorded, and begins its buffer anew.
void buffer_full();

/// Writes what the current thread has recorded; before its process image goes.
void flush_current_thread(void* drcontext);

/// Makes every thread call buffer_full() at its next instrumented block.
void interrupt_all_threads();

/// Forgets what was recorded and not yet written, and numbers chunks anew: in a forked child, whose only
/// thread calls it.
void restart_after_fork(void* drcontext);

}  // namespace malloom::accesses
