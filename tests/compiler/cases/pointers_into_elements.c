// Pointers to fields of elements, kept in a list and stepped from element to element, and from a field to its
// element and to the fields beside it.
// proves: 40 split
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
    struct link* next;
};

struct entry {
    long key;
    struct link hook;
    int uses, mark;
    double value;
    short kind;
};

static struct link* hooks;
static volatile int wanted = 150;

__attribute__((noinline)) static struct entry* entry_of(struct link* hook) {
    return (struct entry*)((char*)hook - offsetof(struct entry, hook));
}

__attribute__((noinline)) static int* uses_of(struct entry* all, int number) {
    return &all[number].uses;
}

__attribute__((noinline)) static int* next_uses(int* uses) {
    return (int*)((char*)uses + sizeof(struct entry));
}

int main(void) {
    const int count = wanted;
    struct entry* all = calloc((size_t)count, sizeof *all);
    for (int i = 0; i < count; ++i) {
        all[i].key = i * 3;
        all[i].value = i * 1.5;
        all[i].kind = (short)(i % 7);
        if (i % 3 != 1) {
            all[i].hook.next = hooks;
            hooks = &all[i].hook;
        }
        *uses_of(all, i) = i + 1;
    }
    int* uses = uses_of(all, 0);
    for (int i = 0; i + 1 < count; ++i) {
        uses = next_uses(uses);
        *uses += 2;
        uses[1] = i;
    }
    long sum = 0;
    for (struct link* hook = hooks; hook != NULL; hook = hook->next) {
        struct entry* entry = entry_of(hook);
        sum = sum * 31 + entry->key + entry->uses + entry->mark + (long)entry->value +
              entry[-(entry->kind % 2)].kind;
    }
    free(all);
    printf("%ld\n", sum);
    return 0;
}
