// hexapawn ROWS COLUMNS: expands the whole space of a game of hexapawn, one request per state and per move,
// then finds the best play of both sides in it. Prints the states, who wins in how many plies, and the line
// of best moves.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/annotations.h"
#include "workloads/hexapawn/game.h"
#include "workloads/phases.h"

static void print_square(struct board board, int square) {
    printf("%c%d", 'a' + square % board.columns, 1 + square / board.columns);
}

static void print_best_line(struct board board, const struct state* state) {
    printf("line");
    for (const struct move* move = best_move(state); move != NULL; move = best_move(move->after)) {
        putchar(' ');
        print_square(board, move->from);
        print_square(board, move->to);
    }
    putchar('\n');
}

int main(int count, char** arguments) {
    malloc_init(arguments[0]);
    count = phases_from_arguments(count, arguments);
    struct board board = {count == 3 ? atoi(arguments[1]) : 0, count == 3 ? atoi(arguments[2]) : 0};
    if (board.rows < 3 || board.columns < 1 || board.rows > 8 || board.columns > 7) {
        fputs("usage: hexapawn ROWS COLUMNS [--times]; 3 to 8 rows, 1 to 7 columns\n", stderr);
        return 2;
    }
    struct state* first = expand_game(board);
    double began = phase_begin();
    int value = solve(first);
    phase_end("search_time", began);
    printf("states %lu\n", count_states(first));
    printf("%s wins in %d plies\n", value > 0 ? "first" : "second", abs(value) - 1);
    print_best_line(board, first);
    return 0;
}
