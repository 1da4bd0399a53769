// What it costs to ask who asks. Build target context_benchmark; run it alone on an idle machine.
#include <benchmark/benchmark.h>

#include "runtime/context/call_chain.h"
#include "runtime/context/context_table.h"

namespace {

using malloom::context::ContextTable;
using malloom::context::current_caller;
using malloom::context::max_depth;
using malloom::context::walk_call_chain;

constexpr unsigned stack_depth = 24;

// A function of its own for each depth.
template <unsigned depth, class Body>
[[gnu::noinline]] void at_depth(Body& body) {
    if constexpr (depth == 0) {
        body();
    } else {
        at_depth<depth - 1>(body);
    }
    benchmark::ClobberMemory();
}

template <class Body>
[[gnu::noinline]] void in_recursion(unsigned depth, Body& body) {
    if (depth == 0) {
        body();
    } else {
        in_recursion(depth - 1, body);
    }
    benchmark::ClobberMemory();
}

[[gnu::noinline]] unsigned walk(unsigned depth, uintptr_t* frames) {
    return walk_call_chain(current_caller(), depth, frames);
}

auto walk_again_and_again(benchmark::State& state) {
    return [&state] {
        uintptr_t frames[max_depth];
        const auto depth = static_cast<unsigned>(state.range(0));
        for (auto _ : state) {
            unsigned found = walk(depth, frames);
            benchmark::DoNotOptimize(found);
            benchmark::ClobberMemory();
        }
    };
}

void walk_chain(benchmark::State& state) {
    auto body = walk_again_and_again(state);
    at_depth<stack_depth>(body);
}
BENCHMARK(walk_chain)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Arg(24);

// The walk ends where it has left out as many frames as it does, whatever the depth.
void walk_recursion(benchmark::State& state) {
    auto body = walk_again_and_again(state);
    in_recursion(stack_depth, body);
}
BENCHMARK(walk_recursion)->Arg(1)->Arg(8);

struct Counter {
    uint64_t count = 0;
};
ContextTable<Counter> table;

// Hits of `contexts` different chains in turn.
void find_context(benchmark::State& state) {
    const auto depth = static_cast<unsigned>(state.range(0));
    const auto contexts = static_cast<uintptr_t>(state.range(1));
    uintptr_t frames[max_depth];
    for (unsigned i = 0; i < depth; ++i) {
        frames[i] = 0x7f0000001000 + uintptr_t{i} * 0x1234567;
    }
    uintptr_t turn = 0;
    for (auto _ : state) {
        turn = turn + 1 < contexts ? turn + 1 : 0;
        frames[0] = 0x7f0000001000 + turn * 37;
        benchmark::DoNotOptimize(frames);
        ++table.find_or_insert(frames, depth, [](auto&) {}).value.count;
    }
}
BENCHMARK(find_context)->ArgsProduct({{1, 4, 8, 16}, {1, 64, 10000}});

}  // namespace
