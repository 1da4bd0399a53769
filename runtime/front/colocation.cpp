#include "runtime/front/colocation.h"

#include "runtime/platform/memory.h"

namespace malloom::front {

using context::CallerState;
using context::CompanionMonitor;
using heaps::ColocationHeap;

namespace {

constexpr uint32_t most_refused = 256;

// Only objects of pools: of others it would have to be asked which of their bytes can be read.
size_t bytes_at(const void*, uintptr_t address) {
    const void* object = reinterpret_cast<const void*>(address);
    return process_heaps.pools.heap.bytes_of_chunk(object);
}

}  // namespace

bool Colocation::open(uint32_t bytes, uint32_t client) {
    number_ = process_heaps.colocation.add(bytes);
    bytes_ = bytes;
    client_ = client;
    return number_ != ColocationHeap::none;
}

bool Colocation::look(uint32_t bytes, uint32_t client) {
    place_ = CompanionMonitor::nowhere;
    monitor_ = open(bytes, client)
                   ? static_cast<CompanionMonitor*>(platform::map_pages(sizeof(CompanionMonitor)))
                   : nullptr;
    return monitor_ != nullptr;
}

bool Colocation::begin(uint32_t bytes, uint32_t client, uint32_t place, uint32_t offset, uint32_t siblings) {
    place_ = place;
    offset_ = offset;
    if (place >= CallerState::places || !open(bytes, client)) {
        return false;
    }
    process_heaps.colocation.expect(number_, siblings);
    return true;
}

void* Colocation::allocate(const CallerState& caller) {
    if (__atomic_load_n(&monitor_, __ATOMIC_RELAXED) != nullptr) {
        return allocate_watched(caller, process_heaps.pools.allocate(client_));
    }
    const uint32_t place = this->place();
    void* object = place < caller.readable_places() ? allocate_colocated(caller.word(place)) : nullptr;
    if (object == nullptr) [[unlikely]] {
        return without_companion();
    }
    refused_in_a_row_ = 0;
    return object;
}

void* Colocation::without_companion() {
    if (++refused_in_a_row_ > most_refused) {
        end();
    }
    return process_heaps.pools.allocate(client_);
}

// Who finds another thread looking, or is a signal handler that interrupted it, does not.
void* Colocation::allocate_watched(const CallerState& caller, void* object) {
    if (object != nullptr && !__atomic_exchange_n(&is_locked_, true, __ATOMIC_ACQUIRE)) {
        CompanionMonitor* monitor = monitor_;
        if (monitor != nullptr && !monitor->observe(caller, object, {nullptr, bytes_at})) {
            finish(monitor);
        }
        __atomic_store_n(&is_locked_, false, __ATOMIC_RELEASE);
    }
    return object;
}

void Colocation::finish(CompanionMonitor* monitor) {
    const uint32_t place = monitor->place();
    offset_ = place != CompanionMonitor::nowhere ? monitor->offset_in_companion() : 0;
    __atomic_store_n(&place_, place, __ATOMIC_RELAXED);
    __atomic_store_n(&monitor_, nullptr, __ATOMIC_RELEASE);
    platform::unmap_pages(monitor, sizeof(CompanionMonitor));
    if (place == CompanionMonitor::nowhere) {
        end();
    }
}

}  // namespace malloom::front
