#include "record/accesses/address_filter.h"

#include <string.h>

namespace malloom::accesses {

namespace {

struct Range {
    uintptr_t start, end;
};

// Modules beyond this many are not filtered; their accesses are recorded and dropped by the reader.
constexpr size_t most_ranges = 4096;
Range ranges[most_ranges];
size_t range_count;
uint64_t generation;  // grows with every change, so that threads forget what they had cached
void* lock;

constexpr uintptr_t red_zone = 4096;
constexpr uintptr_t main_stack_at_most = uintptr_t{64} << 20;

bool inside_any_range(uintptr_t address) {
    for (size_t i = 0; i < range_count; ++i)
        if (address >= ranges[i].start && address < ranges[i].end) return true;
    return false;
}

}  // namespace

void init_module_ranges() {
    lock = dr_rwlock_create();
}

void add_module_range(const module_data_t* module) {
    dr_rwlock_write_lock(lock);
    for (uint i = 0; i < module->num_segments && range_count < most_ranges; ++i) {
        ranges[range_count++] = {reinterpret_cast<uintptr_t>(module->segments[i].start),
                                 reinterpret_cast<uintptr_t>(module->segments[i].end)};
    }
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
    dr_rwlock_write_unlock(lock);
}

void remove_module_range(const module_data_t* module) {
    const auto start = reinterpret_cast<uintptr_t>(module->start);
    const auto end = reinterpret_cast<uintptr_t>(module->end);
    dr_rwlock_write_lock(lock);
    size_t kept = 0;
    for (size_t i = 0; i < range_count; ++i)
        if (ranges[i].start < start || ranges[i].end > end) ranges[kept++] = ranges[i];
    range_count = kept;
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
    dr_rwlock_write_unlock(lock);
}

// A stack is the mapping around the stack pointer, if no page below it can be accessed: memory that a program
// took from its heap and made a stack has no such guard, and accesses to it do reach a heap object.
void AddressFilter::begin_thread(uintptr_t stack_pointer) {
    dr_mem_info_t stack, below;
    if (!dr_query_memory_ex(reinterpret_cast<byte*>(stack_pointer), &stack)) return;
    const auto base = reinterpret_cast<uintptr_t>(stack.base_pc);
    if (dr_query_memory_ex(stack.base_pc - 1, &below) && below.prot != DR_MEMPROT_NONE) return;
    const uintptr_t end = base + stack.size;
    const bool of_main_thread = dr_get_process_id() == dr_get_thread_id(dr_get_current_drcontext());
    // The main thread's grows downward, as far as its limit lets it; above another's lies other memory.
    stack_low_ = of_main_thread ? end - main_stack_at_most : base;
    stack_bytes_ = (of_main_thread ? end : stack_pointer + red_zone) - stack_low_;
}

AddressFilter::Granule AddressFilter::classify(uintptr_t number) const {
    const uintptr_t start = number << granule_shift;
    const uintptr_t end = start + (uintptr_t{1} << granule_shift);
    Granule granule = Granule::kept;
    for (size_t i = 0; i < range_count; ++i) {
        if (ranges[i].start <= start && ranges[i].end >= end) return Granule::dropped;
        if (ranges[i].start < end && ranges[i].end > start) granule = Granule::mixed;
    }
    return granule;
}

bool AddressFilter::drops_unknown(uintptr_t address, uint64_t& cached) {
    const uintptr_t number = address >> granule_shift;
    const auto known = static_cast<Granule>(cached >> 2 == number ? cached & 3 : 0);
    if (known == Granule::dropped) return true;
    dr_rwlock_read_lock(lock);
    const Granule granule = known == Granule::unknown ? classify(number) : known;
    cached = number << 2 | static_cast<uint64_t>(granule);
    const bool dropped =
        granule == Granule::dropped || (granule == Granule::mixed && inside_any_range(address));
    dr_rwlock_read_unlock(lock);
    return dropped;
}

bool AddressFilter::drops(uintptr_t address) {
    if (address - stack_low_ < stack_bytes_) return true;
    const uintptr_t number = address >> granule_shift;
    uint64_t& cached = cache_[number % cache_entries];
    return cached != (number << 2 | static_cast<uint64_t>(Granule::kept)) && drops_unknown(address, cached);
}

void AddressFilter::refresh() {
    const uint64_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    if (generation_ != now) memset(cache_, 0, sizeof cache_);
    generation_ = now;
}

uint64_t AddressFilter::dropped(const stream::AccessShape& shape, const uint64_t* bases) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < shape.bases; ++i) {
        mask |=
            uint64_t{drops(bases[i] + static_cast<uintptr_t>(static_cast<intptr_t>(shape.first_offsets[i])))}
            << i;
    }
    return mask;
}

}  // namespace malloom::accesses
