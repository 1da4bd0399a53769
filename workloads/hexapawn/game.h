// Hexapawn (Gardner's "Mathematical Games"; Cyll 2004, section 5.1): each side has a row of pawns, which step
// forward onto an empty square or capture diagonally. Who reaches the far row, or leaves the other side
// without a move, has won.
#ifndef WORKLOADS_HEXAPAWN_GAME_H
#define WORKLOADS_HEXAPAWN_GAME_H

#include <stdbool.h>
#include <stdint.h>

struct board {
    int rows, columns;
};

struct state;

/// One move of a state; the moves of a state are a list.
struct move {
    struct move* next;
    struct state* after;
    uint8_t from, to;  ///< squares, row by row
};

/// A position of the game. Each path to a position has a state of its own: the space is a tree.
struct state {
    struct move* moves;  ///< NULL where the game has ended
    uint64_t own;        ///< squares with a pawn of the side to move, a bit each
    uint64_t other;
    bool forward;  ///< the side to move goes towards higher rows
    int value;     ///< for the side to move: plies + 1 to a win, or minus that to a loss; 0: not yet known
};

/// Expands all states of the board below its first position. Ends the process where memory runs out.
struct state* expand_game(struct board board);

/// Finds the value of `state` and all below it: the quickest win, else the slowest loss.
int solve(struct state* state);

/// The move that solve found best; NULL where the game has ended.
struct move* best_move(const struct state* state);

/// States at and below `state`.
unsigned long count_states(const struct state* state);

#endif
