// Where the simulated core's memory and devices lie: for the simulation, and for the board support of
// programs that run on it. Addresses of 0x80000000 and above are not cached. At zero there is nothing, so
// that null pointers are noticed.
#ifndef MALLOOM_FIRMWARE_SIMULATED_CORE_ADDRESSES_H
#define MALLOOM_FIRMWARE_SIMULATED_CORE_ADDRESSES_H

// The same as in boards/riscv_core/memory.ld.
#define CORE_MEMORY 0x10000000u
// Of the data file, where nothing else is said.
#define CORE_DATA 0x40000000u
#define CORE_DEVICES 0x80000000u

// The bytes of a line of a cache.
#define CORE_LINE 32u

// Words that are devices' registers.
#define CORE_OUTPUT (CORE_DEVICES + 0u)       // written: a byte for standard output
#define CORE_EXIT (CORE_DEVICES + 4u)         // written: the exit status, and the run ends
#define CORE_MEMORY_END (CORE_DEVICES + 8u)   // read: the first address after the memory
#define CORE_DATA_BEGIN (CORE_DEVICES + 12u)  // read: where the data file lies
#define CORE_DATA_BYTES (CORE_DEVICES + 16u)  // read: its length, 0 where there is none
// Written: after so many cycles the timer interrupts, until this is written again. 0: it does not.
#define CORE_TIMER (CORE_DEVICES + 20u)
#define CORE_NUMBER (CORE_DEVICES + 24u)        // read: of this core, from 0 on
#define CORE_COUNT (CORE_DEVICES + 28u)         // read: how many cores there are
#define CORE_SHARED_BYTES (CORE_DEVICES + 32u)  // read: of the memory that all cores reach

// From here on the cores reach the same words, one access after the other. First locks, of a word each: what
// is read is 1 where the lock was free, which it is no longer then, and 0 where it was taken; a write,
// whatever of, makes it free.
#define CORE_LOCKS 0xb0000000u
#define CORE_LOCK_COUNT 64u
// Then memory.
#define CORE_SHARED 0xc0000000u

#endif
