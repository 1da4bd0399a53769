// mst's hash tables, which hold the lengths of one vertex's edges by the number of the vertex at the other
// end.
#ifndef WORKLOADS_MST_HASH_H
#define WORKLOADS_MST_HASH_H

#include <stdint.h>

/// 32 bytes, with the original's padding at the end.
struct hash_entry {
    uint32_t key;
    void* value;
    struct hash_entry* next;
    uint32_t padding;
};

/// 24 bytes.
struct hash {
    struct hash_entry** buckets;
    uint32_t (*bucket_of)(uint32_t key);  ///< below bucket_count
    uint32_t bucket_count;
};

/// An empty table, never freed. Ends the process where memory runs out.
struct hash* make_hash(uint32_t bucket_count, uint32_t (*bucket_of)(uint32_t key));

/// Enters a key that is not in the table yet.
void hash_insert(struct hash* hash, uint32_t key, void* value);

/// The value of `key`; NULL where the table has none.
void* hash_lookup(const struct hash* hash, uint32_t key);

#endif
