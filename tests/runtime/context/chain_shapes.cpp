#include "tests/runtime/context/chain_shapes.h"

#include <alloca.h>

#include <cstdarg>
#include <cstdlib>
#include <functional>
#include <memory>

#include "tests/runtime/context/chain_probe.h"

namespace CHAIN_SHAPES {
namespace {

// Keeps a call from being the last thing in a function, where it would become a jump.
thread_local volatile int sink;
int finish(int value) {
    sink = value;
    return value;
}

int compare(const void* left, const void* right) {
    chain_probe();
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

struct Base {
    virtual ~Base() = default;
    virtual int call(int value) = 0;
};
struct Derived : Base {
    int call(int value) override {
        chain_probe();
        return value + 1;
    }
};

}  // namespace

[[gnu::noinline]] int plain(int depth) {
    chain_probe();
    return finish(depth);
}

[[gnu::noinline]] int recursive(int depth) {
    if (depth == 0) {
        return plain(0) + 1;
    }
    const int below = recursive(depth - 1);
    return finish(below + depth);
}

[[gnu::noinline]] int branching(int depth) {
    if (depth == 0) {
        return plain(0) + 1;
    }
    const int left = branching(depth - 1);
    const int right = branching(depth - 1);
    return finish(left + right);
}

[[gnu::noinline]] static int alternate(int depth) {
    const int left = alternating(depth - 1);
    const int right = alternating(depth - 1);
    return finish(left + right);
}

[[gnu::noinline]] int alternating(int depth) {
    if (depth == 0) {
        return plain(0) + 1;
    }
    const int left = alternate(depth);
    const int right = alternate(depth);
    return finish(left + right);
}

[[gnu::noinline]] int variadic(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += va_arg(arguments, int);
    }
    va_end(arguments);
    chain_probe();
    return finish(sum);
}

[[gnu::noinline]] int variable_frame(int bytes) {
    auto* memory = static_cast<volatile char*>(alloca(static_cast<size_t>(bytes)));
    memory[0] = 1;
    chain_probe();
    return finish(memory[0]);
}

[[gnu::noinline]] int large_frame(int value) {
    volatile char memory[100000];
    memory[value] = 1;
    chain_probe();
    return finish(memory[value]);
}

[[gnu::noinline]] int aligned_frame(int value) {
    alignas(64) volatile char memory[64];
    memory[value] = 1;
    chain_probe();
    return finish(memory[value]);
}

[[gnu::noinline]] int through_qsort(int count) {
    int numbers[16];
    for (int i = 0; i < count; ++i) {
        numbers[i] = count - i;
    }
    qsort(numbers, static_cast<size_t>(count), sizeof(int), compare);
    return finish(numbers[0]);
}

[[gnu::noinline]] int through_virtual_call(int value) {
    std::unique_ptr<Base> object(new Derived);
    return finish(object->call(value));
}

[[gnu::noinline]] int through_lambda(int value) {
    std::function<int(int)> call = [value](int more) {
        chain_probe();
        return value + more;
    };
    return finish(call(1));
}

[[gnu::noinline]] int through_many_saved_registers(int value) {
    int a = sink, b = sink, c = sink, d = sink, e = sink, f = sink, g = sink, h = sink;
    chain_probe();
    return finish(a + b + c + d + e + f + g + h + value);
}

}  // namespace CHAIN_SHAPES
