// The C library sorts and searches an array of structures, and calls back with pointers to its elements.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct record {
    struct record* next;
    long key, value, uses;
};

struct entry {
    long key;
    struct record* record;
};

static int order(const void* one, const void* other) {
    const struct entry *a = one, *b = other;
    a->record->uses += 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int compare(const void* key, const void* element) {
    const long* wanted = key;
    const struct entry* entry = element;
    return (*wanted > entry->key) - (*wanted < entry->key);
}

int main(void) {
    enum { count = 200 };
    static struct entry entries[count];
    struct record* all = NULL;
    for (long i = 0; i < count; ++i) {
        struct record* record = malloc(sizeof *record);
        *record = (struct record){all, i * 89 % 211, 3 * i, 0};
        all = record;
        entries[i] = (struct entry){record->key, record};
    }
    qsort(entries, count, sizeof *entries, order);
    long sum = 0;
    for (long key = 0; key < 211; ++key) {
        const struct entry* found = bsearch(&key, entries, count, sizeof *entries, compare);
        sum = sum * 31 + (found != NULL ? found->record->value : -1);
    }
    for (struct record* at = all; at != NULL; at = at->next) sum = sum * 7 + at->key + (at->uses > 0);
    printf("%ld\n", sum);
    return 0;
}
