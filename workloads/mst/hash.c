#include "workloads/mst/hash.h"

#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/mst/room.h"

struct hash* make_hash(uint32_t bucket_count, uint32_t (*bucket_of)(uint32_t key)) {
    struct hash* made = room_for(sizeof *made);
    made->buckets = or_exit(malloc(bucket_count * sizeof *made->buckets));
    for (uint32_t i = 0; i < bucket_count; ++i) made->buckets[i] = NULL;
    made->bucket_of = bucket_of;
    made->bucket_count = bucket_count;
    return made;
}

void hash_insert(struct hash* hash, uint32_t key, void* value) {
    struct hash_entry** bucket = &hash->buckets[hash->bucket_of(key)];
    struct hash_entry* made = room_for(sizeof *made);
    made->key = key;
    made->value = value;
    made->next = *bucket;
    *bucket = made;
}

void* hash_lookup(const struct hash* hash, uint32_t key) {
    const struct hash_entry* at = hash->buckets[hash->bucket_of(key)];
    while (at != NULL && at->key != key) at = at->next;
    return at == NULL ? NULL : at->value;
}
