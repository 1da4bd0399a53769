#include "runtime/context/table_memory.h"

#include <errno.h>

#include "runtime/platform/memory.h"

namespace malloom::context {

void* table_memory(size_t bytes) {
    const int saved = errno;
    void* memory = platform::map_pages(bytes);
    errno = saved;
    return memory;
}

void* TableMemory::take(size_t bytes) {
    constexpr size_t line = 64;
    constexpr size_t chunk = size_t{1} << 20;
    const size_t rounded = platform::round_up(bytes, line);
    if (rounded > left_.load(std::memory_order_relaxed)) {
        auto* start = static_cast<unsigned char*>(table_memory(chunk));
        if (start == nullptr || rounded > chunk) {
            return nullptr;
        }
        left_.store(0, std::memory_order_release);
        end_.store(start + chunk, std::memory_order_release);
        left_.store(chunk, std::memory_order_release);
    }
    const size_t left = left_.load(std::memory_order_relaxed);
    left_.store(left - rounded, std::memory_order_release);
    return end_.load(std::memory_order_relaxed) - left;
}

}  // namespace malloom::context
