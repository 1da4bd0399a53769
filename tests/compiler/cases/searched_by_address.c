// Arrays that bsearch looks through, whose elements are found by what they hold or by where they lie, and are
// compared by address, also with those of another array; each access is to the array that it was known for.
// proves: 16 split
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct entry {
    long key, value;
};

struct place {
    struct place* next;
    struct entry* at;
    long hits;
};

static struct entry* middle;
static long met;

static int by_key(const void* one, const void* other) {
    const struct entry *x = one, *y = other;
    if (x == y) return 0;
    met += y == middle;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_address(const void* one, const void* other) {
    return (one > other) - (one < other);
}

static struct entry* make(long count) {
    struct entry* made = malloc((size_t)count * sizeof *made);
    for (long i = 0; i < count; ++i) made[i] = (struct entry){3 * i, 7 * i};
    return made;
}

int main(void) {
    const long count = 100;
    struct entry *entries = make(count), *others = make(count), *end = entries + count;
    struct place* all = NULL;
    middle = &entries[count / 2];
    long sum = 0;
    for (long key = 0; key < 3 * count; ++key) {
        const struct entry wanted = {key, 0};
        struct entry* found = bsearch(&wanted, entries, (size_t)count, sizeof *entries, by_key);
        if (found == NULL) continue;
        struct entry* again = bsearch(found, entries, (size_t)count, sizeof *entries, by_address);
        if (again != &entries[key / 3] || found == &others[key / 3]) abort();
        sum = sum * 31 + again->value + (found - entries) + (found + 1 == end) + (found >= middle);
        others[found - entries].value += found == middle ? others[0].key + 5 : 1;
        struct place* place = malloc(sizeof *place);
        *place = (struct place){all, found, 0};
        all = place;
    }
    for (struct place* place = all; place != NULL; place = place->next) {
        place->hits += place->at == middle;
        sum = sum * 7 + place->hits + place->at->value + others[place->at - entries].value;
    }
    printf("%ld %ld\n", sum, met);
    return 0;
}
