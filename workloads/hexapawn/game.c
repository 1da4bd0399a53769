#include "workloads/hexapawn/game.h"

#include <stdio.h>
#include <stdlib.h>

#include "workloads/annotations.h"

static uint64_t square_bit(int square) {
    return UINT64_C(1) << (square & 63);
}

static void* or_die(void* made) {
    if (made == NULL) {
        fputs("hexapawn: out of memory\n", stderr);
        exit(1);
    }
    return made;
}

static uint64_t row_of_pawns(struct board board, int row) {
    return ((UINT64_C(1) << board.columns) - 1) << (row * board.columns);
}

static bool has_won(struct board board, uint64_t pawns, bool forward) {
    return (pawns & row_of_pawns(board, forward ? board.rows - 1 : 0)) != 0;
}

static struct state* expand(struct board board, uint64_t own, uint64_t other, bool forward, void* parent);

static struct move* add_move(struct board board, struct state* state, int from, int to) {
    struct move* made = or_die(ccmalloc(sizeof *made, state));
    uint64_t moved = (state->own & ~square_bit(from)) | square_bit(to);
    made->next = NULL;
    made->from = (uint8_t)from;
    made->to = (uint8_t)to;
    made->after = expand(board, state->other & ~square_bit(to), moved, !state->forward, made);
    return made;
}

static bool may_move(struct board board, const struct state* state, int column, int to, int sideways) {
    if (column + sideways < 0 || column + sideways >= board.columns) return false;
    uint64_t target = square_bit(to);
    return sideways == 0 ? ((state->own | state->other) & target) == 0 : (state->other & target) != 0;
}

static void expand_moves(struct board board, struct state* state) {
    struct move** end = &state->moves;
    int ahead = state->forward ? board.columns : -board.columns;
    for (int from = 0; from < board.rows * board.columns; ++from) {
        if ((state->own & square_bit(from)) == 0) continue;
        for (int sideways = -1; sideways <= 1; ++sideways) {
            int to = from + ahead + sideways;
            if (!may_move(board, state, from % board.columns, to, sideways)) continue;
            *end = add_move(board, state, from, to);
            end = &(*end)->next;
        }
    }
}

static struct state* expand(struct board board, uint64_t own, uint64_t other, bool forward, void* parent) {
    struct state* made = or_die(ccmalloc(sizeof *made, parent));
    ping(made, 1);
    made->moves = NULL;
    made->own = own;
    made->other = other;
    made->forward = forward;
    made->value = 0;
    if (!has_won(board, other, !forward)) expand_moves(board, made);
    return made;
}

struct state* expand_game(struct board board) {
    return expand(board, row_of_pawns(board, 0), row_of_pawns(board, board.rows - 1), true, NULL);
}

/// What a position that is worth `after` to the other side is worth to the side that moved there: one ply
/// further off.
static int value_before(int after) {
    return after > 0 ? -after - 1 : -after + 1;
}

/// A win beats a loss, a quick win a slow one, and a slow loss a quick one.
static bool is_better(int value, int than) {
    if ((value > 0) != (than > 0)) return value > 0;
    return value < than;
}

int solve(struct state* state) {
    ping(state, 1);
    state->value = -1;
    for (struct move* move = state->moves; move != NULL; move = move->next) {
        ping(move, 1);
        int value = value_before(solve(move->after));
        if (move == state->moves || is_better(value, state->value)) state->value = value;
    }
    return state->value;
}

struct move* best_move(const struct state* state) {
    struct move* move = state->moves;
    while (move != NULL && value_before(move->after->value) != state->value) move = move->next;
    return move;
}

unsigned long count_states(const struct state* state) {
    unsigned long states = 1;
    for (const struct move* move = state->moves; move != NULL; move = move->next)
        states += count_states(move->after);
    return states;
}
