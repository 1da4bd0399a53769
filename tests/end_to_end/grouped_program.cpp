// Pairs of a head and a body that are walked together, requested through wrappers, with other requests in
// between. Prints how many bodies lie right behind their heads, of how many.
//
//     grouped COUNT WAY FOREIGN     WAY: malloc, calloc, new, twice (a wrapper of a wrapper); FOREIGN
//     requests of
//                                   others come first
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr size_t object_bytes = 48;
const char* way = "malloc";

[[gnu::noinline]] void* allocate() {
    void* object = strcmp(way, "calloc") == 0 ? calloc(1, object_bytes)
                   : strcmp(way, "new") == 0  ? ::operator new(object_bytes)
                                              : malloc(object_bytes);
    asm volatile("" : "+r"(object) : : "memory");  // no tail call
    return object;
}
[[gnu::noinline]] void* allocate_twice() {
    void* object = allocate();
    asm volatile("" : "+r"(object) : : "memory");
    return object;
}

struct Node {
    Node* next;
    Node* body;
    uint64_t value;
};

#define MAKER(name)                                                                                        \
    [[gnu::noinline]] Node* name() {                                                                       \
        auto* node = static_cast<Node*>(strcmp(way, "twice") == 0 ? allocate_twice() : allocate());        \
        if (strcmp(way, "calloc") == 0 && (node->next != nullptr || node->value != 0)) puts("not zeroed"); \
        *node = {};                                                                                        \
        return node;                                                                                       \
    }
MAKER(make_head)
MAKER(make_body)
MAKER(make_other)

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    way = arguments[2];
    for (long i = atol(arguments[3]); i > 0; --i) make_other();
    Node* first = nullptr;
    const long pairs = atol(arguments[1]);
    for (long i = 0; i < pairs; ++i) {
        Node* head = make_head();
        make_other();
        head->body = make_body();
        make_other();
        head->body->value = static_cast<uint64_t>(i);
        head->next = first;
        first = head;
    }
    uint64_t sum = 0;
    for (int walk = 0; walk < 20; ++walk) {
        for (Node* at = first; at != nullptr; at = at->next) sum += at->body->value;
    }
    long behind = 0;
    for (Node* at = first; at != nullptr; at = at->next) {
        behind += reinterpret_cast<uintptr_t>(at->body) - reinterpret_cast<uintptr_t>(at) == object_bytes;
    }
    printf("%llu\n%ld of %ld\n", static_cast<unsigned long long>(sum), behind, pairs);
}
