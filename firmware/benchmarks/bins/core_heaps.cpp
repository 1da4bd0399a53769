#include "firmware/benchmarks/bins/core_heaps.h"

namespace malloom::bench::bins {

namespace {

void* number_of(unsigned lock) {
    return reinterpret_cast<void*>(uintptr_t{lock});
}
void lock(void* number) {
    board_lock(static_cast<unsigned>(reinterpret_cast<uintptr_t>(number)));
}
void unlock(void* number) {
    board_unlock(static_cast<unsigned>(reinterpret_cast<uintptr_t>(number)));
}

void lock_one(void* /*context*/) {
    board_lock(lock_of_one_heap);
}
void unlock_one(void* /*context*/) {
    board_unlock(lock_of_one_heap);
}
/// At the same address in each core's memory.
const malloom_bins_hooks hooks_of_one = {nullptr, lock_one, unlock_one, nullptr, nullptr};

/// Which function the cores run: a number in shared memory, and what this core has seen of it.
volatile uint32_t* newest_function;
uint32_t seen_function;

void flush(void* /*context*/, unsigned char* code, size_t bytes) {
    seen_function = *newest_function;
    board_flush_instruction_cache(code, bytes);
}
void lock_and_look(void* /*context*/) {
    board_lock(lock_of_one_heap);
    if (*newest_function != seen_function) {
        flush(nullptr, nullptr, 0);
    }
}
/// Of the core that has written it.
void tell_and_flush(void* /*context*/, unsigned char* code, size_t bytes) {
    *newest_function = *newest_function + 1;
    flush(nullptr, code, bytes);
}
const malloom_bins_hooks hooks_of_generated = {nullptr, lock_and_look, unlock_one, nullptr, nullptr};

bool open_over(malloom_bins* heap, const malloom_bins_settings& settings, uint8_t* region, size_t bytes) {
    if (heap == nullptr || settings.storage == nullptr || region == nullptr) {
        return false;
    }
    return malloom_bins_open(heap, &settings) == MALLOOM_BINS_OK &&
           malloom_bins_add_region(heap, region, bytes, 0) == MALLOOM_BINS_OK;
}

malloom_bins_settings with(const malloom_bins_hooks* hooks, uint8_t* storage, size_t storage_bytes) {
    malloom_bins_settings settings = {};
    settings.hooks = hooks;
    settings.storage = storage;
    settings.storage_bytes = storage_bytes;
    return settings;
}

malloom_bins* take_heaps(BoardMemory& memory, unsigned count) {
    return reinterpret_cast<malloom_bins*>(memory.take(count * sizeof(malloom_bins)));
}

malloom_bins_hooks* take_hooks(BoardMemory& memory) {
    return reinterpret_cast<malloom_bins_hooks*>(memory.take(sizeof(malloom_bins_hooks)));
}

Left left_in(const malloom_bins* heap) {
    malloom_bins_statistics found;
    malloom_bins_statistics_of(heap, &found);
    return {static_cast<uint32_t>(found.living_objects), malloom_bins_check(heap) != MALLOOM_BINS_OK};
}

unsigned shift_for(size_t bytes) {
    unsigned shift = 6;  // that of an alignment
    while ((size_t{2} << shift) <= bytes) {
        ++shift;
    }
    return shift;
}

}  // namespace

OneHeap::OneHeap(BoardMemory& shared, BoardMemory& /*own*/, size_t bytes)
    : heap_(take_heaps(shared, 1)),
      storage_(shared.take(lists_bytes)),
      region_(shared.take(bytes)),
      bytes_(bytes) {}

// Of what is one for all, the first core does what is done once.
bool OneHeap::open() const {
    return board_core() != 0 || open_over(heap_, with(&hooks_of_one, storage_, lists_bytes), region_, bytes_);
}

Left OneHeap::left() const {
    return board_core() == 0 ? left_in(heap_) : Left{};
}

Parts::Parts(BoardMemory& shared, BoardMemory& own, size_t bytes)
    : shift_(shift_for(bytes / 2 / cores_)),
      begin_(shared.take(size_t{cores_} << shift_)),
      one_(shared, own, bytes - (size_t{cores_} << shift_)) {}

bool Parts::open(malloom_bins* heap, const malloom_bins_hooks* hooks, uint8_t* storage) const {
    return begin_ != nullptr && one_.open() &&
           open_over(heap, with(hooks, storage, lists_bytes), begin_ + (size_t{core_} << shift_),
                     size_t{1} << shift_);
}

malloom_bins_hooks Parts::own_hooks() const {
    return {number_of(lock_of(core_)), lock, unlock, nullptr, nullptr};
}

void Parts::release(malloom_bins* mine, malloom_bins* others, void* object) const {
    const uintptr_t owner =
        (reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(begin_)) >> shift_;
    if (owner == core_) {
        malloom_bins_free(mine, object);
    } else if (owner < cores_) {
        const unsigned lock = lock_of(static_cast<unsigned>(owner));
        board_lock(lock);
        malloom_bins_free_later(others + owner, object);
        board_unlock(lock);
    } else {
        one_.release(object);
    }
}

Left Parts::left(const malloom_bins* mine) const {
    const Left own = left_in(mine);
    const Left others = one_.left();
    return {own.living + others.living, own.damaged + others.damaged};
}

EachHeap::EachHeap(BoardMemory& shared, BoardMemory& own, size_t bytes)
    : heaps_(take_heaps(shared, board_core_count())),
      heap_(heaps_ + board_core()),
      storage_(own.take(lists_bytes)),
      hooks_(take_hooks(own)),
      parts_(shared, own, bytes) {}

bool EachHeap::open() {
    if (heaps_ == nullptr || hooks_ == nullptr) {
        return false;
    }
    *hooks_ = parts_.own_hooks();
    return parts_.open(heap_, hooks_, storage_);
}

// What others gave back is freed by the next call.
Left EachHeap::left() const {
    malloom_bins_free(heap_, malloom_bins_alloc(heap_, 1));
    return parts_.left(heap_);
}

CollectedHeap::CollectedHeap(BoardMemory& shared, BoardMemory& own, size_t bytes)
    : posts_(take_heaps(shared, board_core_count())),
      post_(posts_ + board_core()),
      heap_(take_heaps(own, 1)),
      storage_(own.take(lists_bytes)),
      hooks_(take_hooks(own)),
      parts_(shared, own, bytes) {}

bool CollectedHeap::open() {
    if (posts_ == nullptr || hooks_ == nullptr) {
        return false;
    }
    *hooks_ = parts_.own_hooks();
    return parts_.open(heap_, nullptr, storage_);
}

Left CollectedHeap::left() const {
    collect();
    return parts_.left(heap_);
}

GeneratedHeap::GeneratedHeap(BoardMemory& shared, BoardMemory& /*own*/, size_t bytes)
    : heap_(take_heaps(shared, 1)),
      storage_(shared.take(storage_bytes)),
      region_(shared.take(bytes)),
      bytes_(bytes) {
    newest_function = reinterpret_cast<volatile uint32_t*>(shared.take(sizeof(uint32_t)));
    code_.memory = shared.take(code_bytes);
    code_.bytes = code_bytes;
    code_.end_write = tell_and_flush;
}

bool GeneratedHeap::open() {
    if (core_ != 0 || code_.memory == nullptr) {
        return code_.memory != nullptr;
    }
    malloom_bins_settings settings = with(&hooks_of_generated, storage_, storage_bytes);
    settings.options = MALLOOM_BINS_COUNT_INSERTIONS;
    return open_over(heap_, settings, region_, bytes_);
}

Left GeneratedHeap::left() const {
    return core_ == 0 ? left_in(heap_) : Left{};
}

// Where there is no chunk to work in, the bins stay.
void GeneratedHeap::has_done(uint32_t tasks) {
    if (core_ != 0 || tasks != next_rehash_) {
        return;
    }
    next_rehash_ *= 2;
    rehashes_ += malloom_bins_rehash(heap_, MALLOOM_BINS_LINEAR, &code_) == MALLOOM_BINS_OK;
}

bool GeneratedHeap::runs_anothers_code() const {
    const uintptr_t function = reinterpret_cast<uintptr_t>(heap_->function);
    return core_ != 0 && function - reinterpret_cast<uintptr_t>(code_.memory) < code_bytes;
}

}  // namespace malloom::bench::bins
