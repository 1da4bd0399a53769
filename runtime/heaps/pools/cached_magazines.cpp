// The magazines that a thread keeps: where they hold more together than they should, they leave those that
// were used last. Each counts by what it keeps from going back. That of the last one is not known, as the
// thread is using it: where nothing lives it counts as all that its pools ever gave, else when another comes.
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Pages of its pools that ever had chunks.
size_t carved_bytes(const LocalPools& local) {
    size_t bytes = 0;
    for (const Pool* pool = local.owned; pool != nullptr; pool = pool->owned_next) {
        bytes += platform::round_up(pool->carved * object_bytes(*pool), platform::page_bytes());
    }
    return bytes;
}

}  // namespace

void PoolHeap::cache(PoolThread& self, uint32_t client) {
    LocalPools& local = self.local(client);
    if (local.cached_bytes == 0) {
        extend_cache(self, local);
    }
    uncache(self, client);
    const uint32_t before = self.cached_first;
    if (before != 0) {
        LocalPools& other = self.local(before);
        const size_t kept = bytes_kept_by(self, before);
        self.cached_bytes += kept + 1 - other.cached_bytes;
        other.cached_bytes = kept + 1;
    }
    local.cached_before = 0;
    local.cached_next = before;
    (before != 0 ? self.local(before).cached_before : self.cached_last) = client;
    self.cached_first = client;
    local.cached_bytes = local.is_kept ? carved_bytes(local) + 1 : 1;
    self.cached_bytes += local.cached_bytes;
}

// By a sample: how often does a chunk lie on another page than the one above it?
size_t PoolHeap::bytes_kept_by(PoolThread& self, uint32_t client) const {
    constexpr size_t samples = 16;
    const MagazineSlot* first = self.local(client).slots;
    const uint64_t top = __atomic_load_n(&self.top(client), __ATOMIC_RELAXED);
    if (first == nullptr || top == closed_top()) {
        return 0;
    }
    const size_t page = platform::page_bytes();
    const auto count = static_cast<size_t>(slot_at(top) - first);
    const size_t step = count / samples + 1;
    size_t changes = 0;
    for (size_t i = 0; i + 1 < count; i += step) {
        changes += first[i] / page != first[i + 1] / page;
    }
    const size_t scattered = changes * step * page;
    const size_t dense = count * chunk_bytes(client);
    return scattered > dense ? scattered : dense;
}

void PoolHeap::uncache(PoolThread& self, uint32_t client) {
    LocalPools& local = self.local(client);
    if (local.cached_bytes == 0) {
        return;
    }
    (local.cached_before != 0 ? self.local(local.cached_before).cached_next : self.cached_first) =
        local.cached_next;
    (local.cached_next != 0 ? self.local(local.cached_next).cached_before : self.cached_last) =
        local.cached_before;
    self.cached_bytes -= local.cached_bytes;
    local.cached_bytes = 0;
}

// Clients in turn, more than may be cached, would each be emptied before it comes again. One that comes
// back while at most four times as many were emptied as there is room for makes room for a page more.
void PoolHeap::extend_cache(PoolThread& self, LocalPools& local) {
    constexpr size_t most_extra = size_t{4} << 20;  // of all threads: a page each of 1,024 clients
    const size_t page = platform::page_bytes();
    const size_t room = arena_.reserve() + self.cached_extra;
    const bool is_soon = local.emptied_at != 0 && self.emptied_count - local.emptied_at <= 4 * room / page;
    local.emptied_at = 0;
    const uint32_t threads = __atomic_load_n(&threads_count_, __ATOMIC_RELAXED);
    if (is_soon && self.cached_extra + page <= most_extra / threads) {
        self.cached_extra += page;
    }
}

// The thread alone changes its list; a client that was destroyed may be in it without a magazine.
void PoolHeap::limit_cached(PoolThread& self, uint32_t but) {
    const size_t most = arena_.reserve() + self.cached_extra;
    while (self.cached_bytes > most && self.cached_last != but) {
        const uint32_t last = self.cached_last;
        OpenMagazine(*this, self, last).flush();
        if (self.local(last).slots != nullptr) {
            return;  // a handler's
        }
        uncache(self, last);
        self.local(last).emptied_at = ++self.emptied_count;
        self.cached_extra -= self.cached_extra / 2048;
    }
}

}  // namespace malloom::heaps
