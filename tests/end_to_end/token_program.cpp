// Every function that a compiler with tokens calls, each used as its standard says; prints "right", or what
// is wrong. With an argument it then keeps so many nodes and leaves, and frees every other one.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>
#include <vector>

struct Node {
    Node* left;
    Node* right;
    long value;
};
struct Leaf {
    long values[4];
};
struct alignas(64) Line {
    long values[8];
};

static int failures = 0;
static volatile size_t huge = SIZE_MAX / 2, none = 0;  // which no compiler knows

static void* checked(const char* what, void* object, size_t bytes, size_t alignment) {
    if (object == nullptr || reinterpret_cast<uintptr_t>(object) % alignment != 0 ||
        malloc_usable_size(object) < bytes) {
        printf("%s is wrong\n", what);
        ++failures;
        return object;
    }
    memset(object, 0x5a, bytes);
    return object;
}
// So that no compiler leaves out what it thinks to know the result of.
[[gnu::noinline]] static void* given(void* object) {
    void* volatile kept = object;
    asm volatile("" : : : "memory");  // and that malloc may have set errno
    return kept;
}
static void check(const char* what, bool holds) {
    if (!holds) {
        printf("%s does not hold\n", what);
        ++failures;
    }
}

static void use_c() {
    free(checked("malloc", malloc(sizeof(Node)), sizeof(Node), 16));
    auto* zeroed = static_cast<Node*>(calloc(10, sizeof(Node)));
    check("calloc zeroes", zeroed[9].value == 0 && zeroed[0].left == nullptr);
    zeroed[9].value = 7;
    auto* grown = static_cast<Node*>(realloc(zeroed, 1000 * sizeof(Node)));
    check("realloc keeps", grown[9].value == 7);
    free(checked("reallocarray", reallocarray(grown, 2000, sizeof(Node)), 2000 * sizeof(Node), 16));
    free(checked("realloc of null", realloc(nullptr, sizeof(Leaf)), sizeof(Leaf), 16));
    check("realloc to nothing", given(realloc(given(malloc(sizeof(Leaf))), none)) == nullptr);
    free(checked("aligned_alloc", aligned_alloc(64, 4 * sizeof(Leaf)), 4 * sizeof(Leaf), 64));
    free(checked("memalign", memalign(256, sizeof(Leaf)), sizeof(Leaf), 256));
    void* placed = nullptr;
    check("posix_memalign", posix_memalign(&placed, 128, sizeof(Node)) == 0);
    free(checked("posix_memalign", placed, sizeof(Node), 128));
    check("posix_memalign refuses", posix_memalign(&placed, 24, sizeof(Node)) == EINVAL);
    free(checked("valloc", valloc(sizeof(Node)), sizeof(Node), 4096));
    free(checked("pvalloc", pvalloc(sizeof(Node)), 4096, 4096));
    errno = 0;
    check("malloc of too much", given(malloc(huge * sizeof(char))) == nullptr && errno == ENOMEM);
    errno = 0;
    check("calloc of too much", given(calloc(huge, sizeof(Node))) == nullptr && errno == ENOMEM);
    errno = 0;
    check("reallocarray of too much",
          given(reallocarray(nullptr, huge, sizeof(Node))) == nullptr && errno == ENOMEM);
}

static void use_cpp() {
    delete static_cast<Node*>(checked("new", new Node, sizeof(Node), 16));
    delete[] static_cast<Leaf*>(checked("new[]", new Leaf[3], 3 * sizeof(Leaf), 16));
    delete static_cast<Node*>(checked("new nothrow", new (std::nothrow) Node, sizeof(Node), 16));
    delete[] static_cast<Node*>(checked("new[] nothrow", new (std::nothrow) Node[5], 5 * sizeof(Node), 16));
    delete static_cast<Line*>(checked("aligned new", new Line, sizeof(Line), 64));
    delete[] static_cast<Line*>(checked("aligned new[]", new Line[3], 3 * sizeof(Line), 64));
    delete static_cast<Line*>(checked("aligned new nothrow", new (std::nothrow) Line, sizeof(Line), 64));
    delete[] static_cast<Line*>(
        checked("aligned new[] nothrow", new (std::nothrow) Line[2], 2 * sizeof(Line), 64));
    check("new nothrow of too much", ::operator new(huge, std::nothrow) == nullptr);
    bool has_thrown = false;
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc&) {
        has_thrown = true;
    }
    check("new throws", has_thrown);
}

// As LLVM's memory profiles have them called.
enum class __hot_cold_t : uint8_t {};
void* operator new(size_t bytes, __hot_cold_t hint);
void* operator new[](size_t bytes, __hot_cold_t hint);
void* operator new(size_t bytes, const std::nothrow_t&, __hot_cold_t hint) noexcept;
void* operator new(size_t bytes, std::align_val_t alignment, __hot_cold_t hint);
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&,
                   __hot_cold_t hint) noexcept;
static void use_hints() {
    constexpr auto cold = static_cast<__hot_cold_t>(1), hot = static_cast<__hot_cold_t>(254);
    operator delete(checked("hot new", operator new(sizeof(Node), hot), sizeof(Node), 16));
    operator delete[](checked("cold new[]", operator new[](sizeof(Leaf), cold), sizeof(Leaf), 16));
    operator delete(
        checked("cold nothrow", operator new(sizeof(Node), std::nothrow, cold), sizeof(Node), 16));
    operator delete(checked("hot aligned", operator new(128, std::align_val_t(64), hot), 128, 64),
                    std::align_val_t(64));
    operator delete(
        checked("hot aligned nothrow", operator new(128, std::align_val_t(64), std::nothrow, hot), 128, 64),
        std::align_val_t(64));
}

// Two call sites of one kind, and one of another.
[[gnu::noinline]] static Node* left_node() {
    return new Node;
}
[[gnu::noinline]] static Node* right_node() {
    return new Node;
}
[[gnu::noinline]] static Leaf* leaf() {
    return static_cast<Leaf*>(malloc(sizeof(Leaf)));
}

static void keep(int count) {
    std::vector<Node*> nodes;
    std::vector<Leaf*> leaves;
    for (int i = 0; i < count; ++i) {
        nodes.push_back(i % 2 == 0 ? left_node() : right_node());
        nodes.back()->value = i;
        leaves.push_back(leaf());
        leaves.back()->values[3] = i;
    }
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += nodes[static_cast<size_t>(i)]->value - leaves[static_cast<size_t>(i)]->values[3];
        if (i % 2 == 0) {
            delete nodes[static_cast<size_t>(i)];
            free(leaves[static_cast<size_t>(i)]);
        }
    }
    check("what lives is whole", sum == 0);
}

int main(int count, char** arguments) {
    use_c();
    use_cpp();
    use_hints();
    if (count > 1) keep(atoi(arguments[1]));
    if (failures == 0) puts("right");
    return failures != 0;
}
