#include "workloads/logic_covers/minimize.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/logic_covers/recursion.h"

// ---- expand: each cube grows until it would meet the off-set, and swallows what lies in it

static bool meets_any(const uint32_t* cube, const struct cover* cover) {
    for (uint32_t i = 0; i < cover->count; ++i) {
        if (meet(cube, cube_in(cover, i), cover->words)) return true;
    }
    return false;
}

static void grow(uint32_t* cube, const struct cover* off) {
    for (uint32_t variable = 0; variable < off->variables; ++variable) {
        const uint32_t literal = literal_of(cube, variable);
        set_literal(cube, variable, 3);
        if (meets_any(cube, off)) set_literal(cube, variable, literal);
    }
}

/// Takes the cover over.
static struct cover* expanded(struct cover* cover, const struct cover* off) {
    struct cover* made = new_cover(cover->variables, cover->count);
    while (cover->count > 0) {
        uint32_t cube[most_words];
        memcpy(cube, cover->bits, cover->words * sizeof *cube);
        grow(cube, off);
        for (uint32_t i = cover->count; i-- > 0;) {
            if (contains(cube, cube_in(cover, i), cover->words)) remove_cube(cover, i);
        }
        made = with_cube(made, cube);
    }
    free(cover);
    return made;
}

// ---- irredundant and reduce: a cube against all others and what is unspecified

/// The others and what is unspecified, seen from inside that cube.
static struct cover* others_inside(const struct cover* cover, uint32_t number,
                                   const struct cover* unspecified) {
    struct cover* others = together(cover, unspecified);
    remove_cube(others, number);
    struct cover* inside = cofactor_of(others, cube_in(cover, number));
    free(others);
    return inside;
}

/// Leaves out what the others cover.
static void leave_out_redundant(struct cover* cover, const struct cover* unspecified) {
    for (uint32_t i = cover->count; i-- > 0;) {
        struct cover* inside = others_inside(cover, i, unspecified);
        if (is_tautology(inside)) remove_cube(cover, i);
        free(inside);
    }
}

/// Each cube shrinks to the smallest that holds what no other covers, so that it can grow elsewhere.
static void reduce(struct cover* cover, const struct cover* unspecified) {
    for (uint32_t i = 0; i < cover->count; ++i) {
        uint32_t bound[most_words] = {0};
        struct cover* inside = others_inside(cover, i, unspecified);
        bound_complement(bound, inside);
        for (uint32_t word = 0; word < cover->words; ++word) cube_of(cover, i)[word] &= bound[word];
        free(inside);
    }
}

static bool is_better(const struct cover* a, const struct cover* b) {
    if (a->count != b->count) return a->count < b->count;
    return literals_of(a) < literals_of(b);
}

struct cover* minimized(const struct cover* on, const struct cover* unspecified) {
    struct cover* specified = together(on, unspecified);
    struct cover* off = complement_of(specified);
    free(specified);
    struct cover* best = expanded(copy_of(on), off);
    leave_out_redundant(best, unspecified);
    for (;;) {
        struct cover* next = copy_of(best);
        reduce(next, unspecified);
        next = expanded(next, off);
        leave_out_redundant(next, unspecified);
        if (!is_better(next, best)) {
            free(next);
            free(off);
            return best;
        }
        free(best);
        best = next;
    }
}
