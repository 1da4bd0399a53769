// All requests go through one function, with sizes of several structures: each size has a copy of it.
// proves: 24 split
// proves: 48 split
// proves: 16 pool reason: is given to a function of a library
// graph: small is heap 16, exposed
// graph: middle is heap 24
// graph: large is heap 48
// graph: small+0 -> small+0
// graph: middle+0 -> middle+0
// graph: large+0 -> large+0
#include <stdio.h>
#include <stdlib.h>

struct item {
    struct item* next;
    long value;
    long mark;
};

struct entry {
    struct entry* next;
    long key, first, second, third, fourth;
};

struct shown {
    struct shown* next;
    long value;
};

static long requests;

__attribute__((noinline)) static void* must_have(size_t bytes) {
    requests += 1;
    void* made = malloc(bytes);
    if (made == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return made;
}

__attribute__((noinline)) static void* counted(size_t bytes) {
    requests += 10;
    return must_have(bytes);
}

int main(void) {
    struct item* items = NULL;
    struct entry* entries = NULL;
    struct shown* all = NULL;
    for (long i = 0; i < 100; ++i) {
        struct item* item = must_have(sizeof *item);
        *item = (struct item){items, i, 2 * i};
        items = item;
        struct entry* entry = counted(sizeof *entry);
        *entry = (struct entry){entries, i, i + 1, i + 2, i + 3, i + 4};
        entries = entry;
        struct shown* shown = must_have(sizeof *shown);
        *shown = (struct shown){all, i};
        all = shown;
    }
    char text[40];
    snprintf(text, sizeof text, "%p", (void*)all);
    long sum = text[0] != 0;
    for (; items != NULL; items = items->next) {
        sum = sum * 31 + items->value + items->mark;
    }
    for (; entries != NULL; entries = entries->next) {
        sum = sum * 37 + entries->key + entries->third;
    }
    printf("%ld %ld\n", sum, requests);
    return 0;
}
