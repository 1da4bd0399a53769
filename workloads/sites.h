// Many call sites of malloc in one program: functions that differ by a number, each with a call of its own.
#ifndef WORKLOADS_SITES_H
#define WORKLOADS_SITES_H

#include <stddef.h>
#include <stdlib.h>

#include <array>
#include <utility>

#include "workloads/memory.h"

namespace workloads {

constexpr size_t most_sites = 1024;

using Site = char* (*)(size_t bytes);

template <size_t number>
[[gnu::noinline]] char* ask_at_site(size_t bytes) {
    void* made = malloc(bytes);
    // Names the number, so that no compiler makes one function of all.
    __asm__ volatile("" : "+r"(made) : "i"(number));
    return static_cast<char*>(or_exit(made));
}

template <size_t... numbers>
constexpr std::array<Site, sizeof...(numbers)> sites_of(std::index_sequence<numbers...>) {
    return {ask_at_site<numbers>...};
}

constexpr std::array<Site, most_sites> sites = sites_of(std::make_index_sequence<most_sites>());

}  // namespace workloads

#endif
