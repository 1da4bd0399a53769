#include "workloads/logic_covers/cover.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

/// Of each variable.
static const uint32_t lower_bits = UINT32_C(0x01010101);

static size_t bytes_of(uint32_t words, uint32_t capacity) {
    return sizeof(struct cover) + (size_t)words * capacity * sizeof(uint32_t);
}

struct cover* new_cover(uint32_t variables, uint32_t capacity) {
    const uint32_t words = (variables + variables_a_word - 1) / variables_a_word;
    struct cover* made = or_exit(malloc(bytes_of(words, capacity)));
    made->variables = (uint16_t)variables;
    made->words = (uint16_t)words;
    made->count = 0;
    made->capacity = (uint16_t)capacity;
    return made;
}

struct cover* with_cube(struct cover* cover, const uint32_t* cube) {
    struct cover* made = cover;
    if (made->count == made->capacity) {
        const uint32_t capacity = 2u * made->capacity + 4;
        made = or_exit(realloc(made, bytes_of(made->words, capacity)));
        made->capacity = (uint16_t)capacity;
    }
    memcpy(cube_of(made, made->count++), cube, made->words * sizeof *cube);
    return made;
}

struct cover* together(const struct cover* a, const struct cover* b) {
    struct cover* made = new_cover(a->variables, (uint32_t)a->count + b->count);
    for (uint32_t i = 0; i < a->count; ++i) made = with_cube(made, cube_in(a, i));
    for (uint32_t i = 0; i < b->count; ++i) made = with_cube(made, cube_in(b, i));
    return made;
}

struct cover* copy_of(const struct cover* cover) {
    const size_t bytes = bytes_of(cover->words, cover->capacity);
    return memcpy(or_exit(malloc(bytes)), cover, bytes);
}

void remove_cube(struct cover* cover, uint32_t number) {
    --cover->count;
    memmove(cube_of(cover, number), cube_of(cover, cover->count), cover->words * sizeof(uint32_t));
}

bool meet(const uint32_t* a, const uint32_t* b, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i) {
        const uint32_t both = a[i] & b[i];
        if (((both | both >> 1) & lower_bits) != lower_bits) return false;
    }
    return true;
}

bool contains(const uint32_t* a, const uint32_t* other, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i) {
        if ((other[i] & ~a[i]) != 0) return false;
    }
    return true;
}

uint32_t literals_in(const uint32_t* cube, uint32_t variables) {
    uint32_t literals = 0;
    for (uint32_t i = 0; i < variables; ++i) literals += literal_of(cube, i) != 3;
    return literals;
}

bool has_whole_cube(const struct cover* cover) {
    for (uint32_t i = 0; i < cover->count; ++i) {
        if (literals_in(cube_in(cover, i), cover->variables) == 0) return true;
    }
    return false;
}

uint32_t literals_of(const struct cover* cover) {
    uint32_t literals = 0;
    for (uint32_t i = 0; i < cover->count; ++i) literals += literals_in(cube_in(cover, i), cover->variables);
    return literals;
}
