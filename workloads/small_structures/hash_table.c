// A hash table with chains: as many buckets as nodes, rounded up to a power of two. A walk looks every key
// up, in the given order.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/small_structures/structure.h"

struct node {
    struct node* next;
    uint64_t key;
    uint64_t value, weight, height, age;
    uint64_t unused[2];
};

struct structure {
    struct node** buckets;
    size_t mask;
    size_t* keys;
    size_t count;
};

/// Of a key, by Knuth's multiplicative hash.
static struct node** bucket_of(const struct structure* structure, uint64_t key) {
    return &structure->buckets[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & structure->mask];
}

static void put(struct structure* structure, uint64_t key) {
    struct node** bucket = bucket_of(structure, key);
    struct node* made = or_exit(malloc(sizeof *made));
    *made = (struct node){*bucket, key, key, key + 1, key + 2, key + 3, {key, key}};
    *bucket = made;
}

struct structure* structure_make(const size_t* order, size_t count) {
    struct structure* made = or_exit(malloc(sizeof *made));
    size_t buckets = 1;
    while (buckets < count) buckets *= 2;
    *made = (struct structure){or_exit(calloc(buckets, sizeof(struct node*))), buckets - 1,
                               or_exit(malloc(count * sizeof(size_t))), count};
    for (size_t i = 0; i < count; ++i) put(made, i);
    for (size_t i = 0; i < count; ++i) made->keys[i] = order[i];
    return made;
}

void structure_release(struct structure* structure) {
    for (size_t i = 0; i <= structure->mask; ++i) {
        for (struct node *at = structure->buckets[i], *next; at != NULL; at = next) {
            next = at->next;
            free(at);
        }
    }
    free(structure->buckets);
    free(structure->keys);
    free(structure);
}

static struct node* find(const struct structure* structure, uint64_t key) {
    struct node* at = *bucket_of(structure, key);
    while (at->key != key) at = at->next;
    return at;
}

uint64_t structure_read_one(const struct structure* structure) {
    uint64_t sum = 0;
    for (size_t i = 0; i < structure->count; ++i) sum += find(structure, structure->keys[i])->value;
    return sum;
}

uint64_t structure_read_several(const struct structure* structure) {
    uint64_t sum = 0;
    for (size_t i = 0; i < structure->count; ++i) {
        const struct node* at = find(structure, structure->keys[i]);
        sum += at->value + at->weight + at->height + at->age;
    }
    return sum;
}

uint64_t structure_write(struct structure* structure) {
    uint64_t sum = 0;
    for (size_t i = 0; i < structure->count; ++i) sum += find(structure, structure->keys[i])->value++;
    return sum;
}
