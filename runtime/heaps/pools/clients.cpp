// Who borrows pools: numbers for clients, and what becomes of all that one has when it ends.
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::heaps {

using structures::Locked;

// Nobody else is there yet: no lock, and no signal to keep out, which would be two system calls for each.
void PoolHeap::add_small_commons() {
    for (size_t bytes = granule_bytes; bytes <= most_small; bytes += granule_bytes) {
        tables_->clients[clients_count_++].chunk_bytes = static_cast<uint32_t>(chunk_for(bytes));
    }
}

uint32_t PoolHeap::add(size_t bytes) {
    return bytes <= largest_chunk ? add_client(chunk_for(bytes), 0) : none;
}

uint32_t PoolHeap::add_aligned(size_t bytes, size_t pool_bytes) {
    const size_t chunk = platform::round_up(bytes + (bytes == 0), granule_bytes);
    if (!platform::is_power_of_two(pool_bytes) || pool_bytes < smallest_range || pool_bytes > largest_range ||
        pool_bytes < platform::page_bytes() || bytes > largest_chunk || chunk > pool_bytes) {
        return none;
    }
    const auto order = static_cast<unsigned>(__builtin_ctzll(pool_bytes / smallest_range));
    return add_client(chunk, static_cast<uint8_t>(order + 1));
}

uint32_t PoolHeap::add_spread(uint32_t objects, size_t pool_bytes) {
    if (!platform::is_power_of_two(pool_bytes) || pool_bytes < smallest_range || pool_bytes > largest_range ||
        pool_bytes < platform::page_bytes() || objects == 0 || objects > pool_bytes / granule_bytes) {
        return none;
    }
    const auto order = static_cast<unsigned>(__builtin_ctzll(pool_bytes / smallest_range));
    return add_client(granule_bytes, static_cast<uint8_t>(order + 1), objects);
}

uint32_t PoolHeap::add_client(size_t chunk_bytes, uint8_t pool_order, uint32_t objects) {
    // In a handler that came while this thread holds the lock: it would wait for itself.
    if (tables_ == nullptr || arena_.lock.is_mine()) {
        return none;
    }
    // A signal handler would wait for this thread's lock.
    const platform::Undisturbed undisturbed;
    const Locked locked(arena_.lock);
    const uint32_t number = take_number();
    if (number != none) {
        Client& client = tables_->clients[number];
        client.pool_order = pool_order;
        client.objects = objects;
        __atomic_store_n(&client.chunk_bytes, static_cast<uint32_t>(chunk_bytes), __ATOMIC_RELEASE);
    }
    return number;
}

uint32_t PoolHeap::take_number() {
    const uint32_t number = unused_client_;
    if (number != none) {
        unused_client_ = tables_->clients[number].next_unused;
        return number;
    }
    if (clients_count_ == most_clients) {
        return none;
    }
    for (PoolThread* table = all_threads_; table != nullptr; table = table->next_table) {
        table->top(clients_count_) = closed_top();
    }
    for (AbsentPoolThread* stand_in : stand_ins_) {
        if (stand_in != nullptr) {
            stand_in->tops[clients_count_] = closed_top();
        }
    }
    __atomic_store_n(&clients_count_, clients_count_ + 1, __ATOMIC_RELAXED);
    return clients_count_ - 1;
}

// Where two threads race, one client stays without pools. Sizes whose chunks are the same share one.
uint32_t PoolHeap::common(size_t bytes) {
    if (bytes > largest_chunk || tables_ == nullptr) {
        return none;
    }
    if (bytes <= most_small) {
        return small_common(bytes + (bytes == 0));
    }
    uint32_t& number = tables_->commons[common_index(bytes)];
    const uint32_t known = __atomic_load_n(&number, __ATOMIC_ACQUIRE);
    if (known != none) {
        return known;
    }
    const size_t chunk = chunk_for(bytes);
    const uint32_t made = common_index(bytes) != common_index(chunk) ? common(chunk) : add(bytes);
    __atomic_store_n(&number, made, __ATOMIC_RELEASE);
    return made;
}

void PoolHeap::destroy(uint32_t client) {
    const platform::Undisturbed undisturbed;
    const Locked locked(arena_.lock);
    if (chunk_bytes(client) != 0) {
        __atomic_store_n(&tables_->clients[client].chunk_bytes, 0, __ATOMIC_RELEASE);
        return_all(client);
        tables_->clients[client].next_unused = unused_client_;
        unused_client_ = client;
    }
}

void PoolHeap::forget_magazines(uint32_t client) {
    for (PoolThread* table = all_threads_; table != nullptr; table = table->next_table) {
        OpenMagazine(*this, *table, client).forget();
    }
}

// What its owner may be looking at, it gives back itself. Under the arena's lock.
void PoolHeap::return_all(uint32_t client) {
    forget_magazines(client);
    for (size_t i = 0; i < arena_.pools_count(); ++i) {
        Pool& pool = arena_.pools()[i];
        if (pool.client != client || pool.state() == PoolState::unused) {
            continue;
        }
        bool stays = false;
        {
            const Locked locked(pool.lock);
            stays = pool.owner != nullptr && (pool.is_pending || pool.state() == PoolState::spare);
            if (stays) {
                pool.owner->local(client).living -= pool.out - pool.reserved + pool.returned;
                arena_.reset(pool);
                pool.is_over = true;
            } else if (pool.owner != nullptr) {
                disown(*pool.owner, pool);
            } else if (pool.is_pending) {
                ListedPools::remove(tables_->orphans[class_of(pool)], pool);
            }
        }
        if (!stays) {
            arena_.give_back(pool);
        }
    }
}

}  // namespace malloom::heaps
