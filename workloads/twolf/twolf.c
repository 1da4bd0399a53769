// twolf CELLS MOVES: places cells in rows by simulated annealing, as SPEC CPU2000's twolf (TimberWolf, Sechen
// and Sangiovanni-Vincentelli 1985; Zhao, Rabbah and Wong measure it). Phases: cells, terminals, pins and
// nets are made as they are read; then MOVES times a random cell is to be exchanged with a random cell of a
// bin in a window around it: the terminals of both cells are walked, and for each the pins of its net. The
// window narrows as the temperature falls. Prints the cost as it was kept and as it is when added up anew.
//
// Requests, per cell: 40 bytes, its name, 24; per terminal, 4 for a cell in the mean, 24 and 32; per net 32,
// and as many nets as cells; per bin of 6 cells 24 and 24. Bytes of the C library's heap: 504 per cell.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/phases.h"
#include "workloads/random.h"
#include "workloads/twolf/exchange.h"

enum { stages = 32 };

static const double hottest = 400;
static const double cooling = 0.8;

struct placing {
    struct netlist netlist;
    struct rows rows;
    uint64_t random;
    long cost;
    int accepted;
};

static long misfits(const struct rows* rows) {
    long sum = 0;
    for (int i = 0; i < rows->all; ++i) sum += misfit(rows->bin[i]->used);
    return sum;
}

static long full_cost(const struct placing* placing) {
    return measure_nets(&placing->netlist) + misfits(&placing->rows);
}

/// A number at most `reach` from `from`, between 0 and count - 1.
static int draw_near(int from, int reach, int count, uint64_t* state) {
    int low = from - reach > 0 ? from - reach : 0;
    int high = from + reach < count - 1 ? from + reach : count - 1;
    return low + (int)random_below(state, (uint64_t)(high - low) + 1);
}

/// A random cell of a random bin near that of `one`; perhaps `one` itself.
static int draw_partner(struct placing* placing, int one, int stage) {
    const struct rows* rows = &placing->rows;
    int bin = placing->netlist.cells[one]->bin;
    int narrowing = 1 << (stage / 4);
    int row = draw_near(bin / rows->bins, 1 + rows->count / narrowing, rows->count, &placing->random);
    int column = draw_near(bin % rows->bins, 1 + rows->bins / narrowing, rows->bins, &placing->random);
    int target = row * rows->bins + column;
    if (target >= rows->all) target = rows->all - 1;
    const struct bin* found = rows->bin[target];
    return found->cells[random_below(&placing->random, (uint64_t)found->count)];
}

static void try_move(struct placing* placing, int stage, double temperature) {
    int one = (int)random_below(&placing->random, (uint64_t)placing->netlist.count);
    int other = draw_partner(placing, one, stage);
    if (one == other) return;
    int growth = look_at_exchange(&placing->netlist, &placing->rows, one, other);
    if (growth > 0 && random_unit(&placing->random) >= exp(-growth / temperature)) {
        give_up_exchange(&placing->netlist, one, other);
        return;
    }
    make_exchange(&placing->netlist, &placing->rows, one, other);
    placing->cost += growth;
    ++placing->accepted;
}

static void anneal(struct placing* placing, long moves) {
    double temperature = hottest;
    double began = phase_begin();
    for (int stage = 0; stage < stages; ++stage) {
        for (long move = moves * stage / stages; move < moves * (stage + 1) / stages; ++move) {
            try_move(placing, stage, temperature);
        }
        temperature *= cooling;
    }
    phase_end("anneal_time", began);
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int cells = count == 3 ? atoi(arguments[1]) : 0;
    int moves = count == 3 ? atoi(arguments[2]) : 0;
    if (cells < 2 || moves < 1) {
        fputs("usage: twolf CELLS MOVES [--times]\n", stderr);
        return 2;
    }
    struct placing placing = {.random = random_begin(1)};
    placing.netlist = make_netlist(cells, &placing.random);
    placing.rows = make_rows(&placing.netlist);
    placing.cost = full_cost(&placing);
    printf("cost %ld\n", placing.cost);
    anneal(&placing, moves);
    printf("accepted %d\ncost %ld\nanew %ld\n", placing.accepted, placing.cost, full_cost(&placing));
    return 0;
}
