#include "workloads/cover/matrix.h"

#include <stdio.h>
#include <stdlib.h>

#include "workloads/annotations.h"

/// xorshift64* (Vigna 2016): small, and the same on every platform.
static double next_random(uint64_t* state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * UINT64_C(0x2545f4914f6cdd1d)) >> 11) * 0x1p-53;
}

static void* or_die(void* made) {
    if (made == NULL) {
        fputs("cover: out of memory\n", stderr);
        exit(1);
    }
    return made;
}

static void join_row(struct cell* at, struct cell* after) {
    at->left = after;
    at->right = after->right;
    after->right->left = at;
    after->right = at;
}

static struct column* add_column(struct column* head) {
    struct column* made = or_die(cccalloc(1, sizeof *made, head->cell.left));
    made->cell.up = made->cell.down = &made->cell;
    made->cell.column = made;
    join_row(&made->cell, head->cell.left);
    return made;
}

static struct cell* add_cell(struct column* column, struct cell* row_end) {
    struct cell* made = or_die(cccalloc(1, sizeof *made, row_end != NULL ? row_end : column->cell.up));
    made->column = column;
    made->up = column->cell.up;
    made->down = &column->cell;
    made->up->down = made->down->up = made;
    ++column->size;
    made->left = made->right = made;
    if (row_end != NULL) join_row(made, row_end);
    return made;
}

struct column* random_matrix(int rows, int columns, double density, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct column* head = or_die(cccalloc(1, sizeof *head, NULL));
    head->cell.left = head->cell.right = &head->cell;
    for (int i = 0; i < columns; ++i) add_column(head);
    for (int row = 0; row < rows; ++row) {
        struct cell* row_end = NULL;
        for (struct cell* at = head->cell.right; at != &head->cell; at = at->right) {
            if (next_random(&state) < density) row_end = add_cell(at->column, row_end);
        }
    }
    return head;
}
