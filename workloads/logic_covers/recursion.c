#include "workloads/logic_covers/recursion.h"

#include <stdlib.h>
#include <string.h>

struct cover* cofactor_of(const struct cover* cover, const uint32_t* cube) {
    struct cover* made = new_cover(cover->variables, cover->count);
    for (uint32_t i = 0; i < cover->count; ++i) {
        const uint32_t* from = cube_in(cover, i);
        if (!meet(from, cube, cover->words)) continue;
        uint32_t* to = cube_of(made, made->count++);
        for (uint32_t word = 0; word < cover->words; ++word) to[word] = from[word] | ~cube[word];
    }
    return made;
}

/// Where the variable has that literal.
static struct cover* half_of(const struct cover* cover, uint32_t variable, uint32_t literal) {
    uint32_t cube[most_words];
    memset(cube, UINT8_MAX, sizeof cube);
    set_literal(cube, variable, literal);
    return cofactor_of(cover, cube);
}

struct choice {
    uint32_t variable;
    bool is_binate;  ///< cubes have it in both ways
};

/// The variable that most cubes have, of those that they have in both ways where there are any.
static struct choice chosen(const struct cover* cover) {
    struct choice best = {0};
    uint32_t most = 0;
    for (uint32_t variable = 0; variable < cover->variables; ++variable) {
        uint32_t counts[4] = {0};
        for (uint32_t i = 0; i < cover->count; ++i) ++counts[literal_of(cube_in(cover, i), variable)];
        const bool is_binate = counts[1] > 0 && counts[2] > 0;
        const uint32_t count = counts[1] + counts[2];
        if (count == 0 || is_binate < best.is_binate || (is_binate == best.is_binate && count <= most))
            continue;
        best = (struct choice){.variable = variable, .is_binate = is_binate};
        most = count;
    }
    return best;
}

/// A cover without a variable in both ways is false where all variables are as no cube has them.
bool is_tautology(const struct cover* cover) {
    if (has_whole_cube(cover)) return true;
    const struct choice choice = chosen(cover);
    bool answer = choice.is_binate;
    for (uint32_t literal = 1; literal <= 2 && answer; ++literal) {
        struct cover* half = half_of(cover, choice.variable, literal);
        answer = is_tautology(half);
        free(half);
    }
    return answer;
}

/// Of a cover without a variable in both ways: only a cube of one literal keeps its complement from a half.
static void bound_unate(uint32_t* bound, const struct cover* cover) {
    memset(bound, UINT8_MAX, cover->words * sizeof *bound);
    for (uint32_t i = 0; i < cover->count; ++i) {
        const uint32_t* cube = cube_in(cover, i);
        if (literals_in(cube, cover->variables) != 1) continue;
        uint32_t variable = 0;
        while (literal_of(cube, variable) == 3) ++variable;
        set_literal(bound, variable, literal_of(cube, variable) ^ 3);
    }
}

bool bound_complement(uint32_t* bound, const struct cover* cover) {
    if (has_whole_cube(cover)) return false;
    const struct choice choice = chosen(cover);
    if (!choice.is_binate) {
        bound_unate(bound, cover);
        return true;
    }
    uint32_t both[most_words] = {0};
    bool is_false_somewhere = false;
    for (uint32_t literal = 1; literal <= 2; ++literal) {
        struct cover* half = half_of(cover, choice.variable, literal);
        if (bound_complement(bound, half)) {
            is_false_somewhere = true;
            set_literal(bound, choice.variable, literal);
            for (uint32_t word = 0; word < cover->words; ++word) both[word] |= bound[word];
        }
        free(half);
    }
    memcpy(bound, both, cover->words * sizeof *bound);
    return is_false_somewhere;
}

static struct cover* everything(uint32_t variables) {
    uint32_t cube[most_words];
    memset(cube, UINT8_MAX, sizeof cube);
    return with_cube(new_cover(variables, 1), cube);
}

/// The first cube that the given one lies in, or NULL.
static const uint32_t* holder_of(const uint32_t* cube, const struct cover* cover) {
    for (uint32_t i = 0; i < cover->count; ++i) {
        if (contains(cube_in(cover, i), cube, cover->words)) return cube_in(cover, i);
    }
    return NULL;
}

/// The halves together. A cube that lies in one of the other half needs no literal.
static struct cover* merged(struct cover* const halves[2], uint32_t variable) {
    struct cover* made = new_cover(halves[0]->variables, (uint32_t)halves[0]->count + halves[1]->count);
    for (uint32_t side = 0; side < 2; ++side) {
        struct cover *own = halves[side], *other = halves[1 - side];
        for (uint32_t i = 0; i < own->count; ++i) {
            uint32_t* cube = cube_of(own, i);
            const uint32_t* holder = holder_of(cube, other);
            // Of two that are equal the first half's stands already.
            if (side == 1 && holder != NULL && contains(cube, holder, own->words)) continue;
            if (holder == NULL) set_literal(cube, variable, side + 1);
            made = with_cube(made, cube);
        }
    }
    return made;
}

struct cover* complement_of(const struct cover* cover) {
    if (cover->count == 0) return everything(cover->variables);
    if (has_whole_cube(cover)) return new_cover(cover->variables, 0);
    const uint32_t variable = chosen(cover).variable;
    struct cover* halves[2];
    for (uint32_t side = 0; side < 2; ++side) {
        struct cover* half = half_of(cover, variable, side + 1);
        halves[side] = complement_of(half);
        free(half);
    }
    struct cover* made = merged(halves, variable);
    free(halves[0]);
    free(halves[1]);
    return made;
}
