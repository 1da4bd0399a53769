// Logic functions of two levels, as covers: a function is true where one of its cubes is.
#ifndef WORKLOADS_LOGIC_COVERS_COVER_H
#define WORKLOADS_LOGIC_COVERS_COVER_H

#include <stdbool.h>
#include <stdint.h>

enum { most_variables = 48, bits_a_variable = 8, variables_a_word = 32 / bits_a_variable };
enum { most_words = most_variables / variables_a_word };

/// A cube is `words` words, with eight bits for each variable: the lowest where the variable may be 0, the
/// next where it may be 1, the others always; so are those of variables that are not there. Two bits would
/// do, but the original's cubes are large, as each has several functions.
struct cover {
    uint16_t variables, words;
    uint16_t count, capacity;  ///< of cubes
    uint32_t bits[];
};

struct cover* new_cover(uint32_t variables, uint32_t capacity);
struct cover* copy_of(const struct cover* cover);
/// The cover, perhaps at another place, with a cube more.
struct cover* with_cube(struct cover* cover, const uint32_t* cube);
/// True where one of both is.
struct cover* together(const struct cover* a, const struct cover* b);
/// The last cube takes its place.
void remove_cube(struct cover* cover, uint32_t number);

static inline uint32_t* cube_of(struct cover* cover, uint32_t number) {
    return cover->bits + number * cover->words;
}
static inline const uint32_t* cube_in(const struct cover* cover, uint32_t number) {
    return cover->bits + number * cover->words;
}

/// What a cube says of a variable: 1, 2, or 3 where it says nothing.
static inline uint32_t literal_of(const uint32_t* cube, uint32_t variable) {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a cube has words for all variables.
    return cube[variable / variables_a_word] >> variable % variables_a_word * bits_a_variable & 3;
}
static inline void set_literal(uint32_t* cube, uint32_t variable, uint32_t literal) {
    const uint32_t at = variable % variables_a_word * bits_a_variable;
    uint32_t* word = &cube[variable / variables_a_word];
    *word = (*word & ~(UINT32_C(3) << at)) | literal << at;
}

bool meet(const uint32_t* a, const uint32_t* b, uint32_t words);
/// Whether all of the other cube lies in the first.
bool contains(const uint32_t* a, const uint32_t* other, uint32_t words);
bool has_whole_cube(const struct cover* cover);
uint32_t literals_in(const uint32_t* cube, uint32_t variables);
uint32_t literals_of(const struct cover* cover);

#endif
