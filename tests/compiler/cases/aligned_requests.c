// Objects that must lie at multiples of more than malloc's alignment.
// proves: 192 pool  reason: pools do not replace
// proves: 80 pool  reason: pools do not replace
// proves: 40 pool  reason: pools do not replace
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

struct block {
    struct block* next;
    long values[23];
};

struct record {
    struct record* next;
    long key;
    char rest[64];
};

struct entry {
    struct entry* next;
    long key, value, more, mark;
};

static struct block* blocks;
static struct record* records;
static struct entry* entries;

int main(void) {
    unsigned long sum = 0, misplaced = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        struct block* block = aligned_alloc(64, sizeof *block);
        misplaced += (unsigned long)block % 64;
        block->next = blocks;
        block->values[0] = i * 3;
        block->values[22] = i;
        blocks = block;
        void* room = NULL;
        if (posix_memalign(&room, 256, sizeof(struct record)) != 0) {
            return 1;
        }
        misplaced += (unsigned long)room % 256;
        struct record* record = room;
        record->next = records;
        record->key = i;
        records = record;
        struct entry* entry = i % 2 == 0 ? memalign(32, sizeof *entry) : malloc(sizeof *entry);
        misplaced += i % 2 == 0 ? (unsigned long)entry % 32 : 0;
        entry->next = entries;
        entry->key = i;
        entry->value = i * 7;
        entries = entry;
    }
    while (blocks != NULL) {
        struct block* block = blocks;
        blocks = block->next;
        sum = sum * 31 + (unsigned long)(block->values[0] + block->values[22]);
        free(block);
    }
    while (records != NULL) {
        struct record* record = records;
        records = record->next;
        sum = sum * 31 + (unsigned long)record->key;
        free(record);
    }
    while (entries != NULL) {
        struct entry* entry = entries;
        entries = entry->next;
        sum = sum * 31 + (unsigned long)(entry->key + entry->value);
        free(entry);
    }
    printf("%lu %lu\n", sum, misplaced);
    return 0;
}
