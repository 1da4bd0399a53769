// Memory of a function that is known to give something of the library's own: pointers that are kept there
// come back by another call of it.
// shows: comes_from_library
// proves: 24 no  reason: other code sees
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value, weight;
    int mark;
};

__attribute__((noinline)) static void put(long value) {
    struct node* node = malloc(sizeof *node);
    node->value = value;
    node->weight = value * 2;
    node->mark = (int)value * 3;
    *(struct node* __attribute__((aligned(1)))*)getenv("MALLOOM_ROOM") = node;
}

__attribute__((noinline)) static struct node* get(void) {
    return *(struct node* __attribute__((aligned(1)))*)getenv("MALLOOM_ROOM");
}

int main(void) {
    long sum = 0;
    setenv("MALLOOM_ROOM", "123456789 123456789", 1);
    for (int i = 0; i < 40; ++i) {
        put(i);
        struct node* node = get();
        sum = sum * 31 + node->value + node->weight * 10 + node->mark * 100;
    }
    printf("%ld\n", sum);
    return 0;
}
