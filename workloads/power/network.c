#include "workloads/power/network.h"

#include <math.h>
#include <stdlib.h>

#include "workloads/memory.h"

static struct leaf* make_leaf(void) {
    struct leaf* made = or_exit(malloc(sizeof *made));
    made->demand = (struct demand){1, 1};
    return made;
}

static struct branch* make_branches(int count) {
    if (count == 0) return NULL;
    struct branch* made = or_exit(malloc(sizeof *made));
    made->next = make_branches(count - 1);
    for (int i = 0; i < leaves_per_branch; ++i) made->leaves[i] = make_leaf();
    made->line = (struct line){1e-4, 2e-5};
    made->surcharge = (struct surcharge){0, 0};
    return made;
}

static struct lateral* make_laterals(int count) {
    if (count == 0) return NULL;
    struct lateral* made = or_exit(malloc(sizeof *made));
    made->next = make_laterals(count - 1);
    made->branch = make_branches(branches_per_lateral);
    made->line = (struct line){1 / 3e5, 1e-6};
    made->surcharge = (struct surcharge){0, 0};
    return made;
}

struct root* make_network(int feeders) {
    struct root* made = or_exit(malloc(sizeof *made + (size_t)feeders * sizeof made->feeders[0]));
    for (int i = 0; i < feeders; ++i) made->feeders[i] = make_laterals(laterals_per_feeder);
    made->price = (struct price){0.8, 0.16};
    return made;
}

static struct demand sum(struct demand one, struct demand other) {
    return (struct demand){one.real + other.real, one.reactive + other.reactive};
}

/// The price at the end of a line, from those at its begin and at the plant.
static struct price price_behind(struct line line, struct surcharge surcharge, struct price begin,
                                 struct price plant) {
    return (struct price){
        begin.real + surcharge.real * (plant.real + plant.reactive * line.reactance / line.resistance),
        begin.reactive +
            surcharge.reactive * (plant.reactive + plant.real * line.resistance / line.reactance),
    };
}

/// What a line takes at its begin where `load` is taken at its end: at a voltage of one it loses resistance
/// and reactance times the square of what it takes. The equation for the real part is quadratic.
static struct demand with_losses(struct line line, struct demand load) {
    double r = line.resistance, x = line.reactance;
    double cross = r * load.reactive - x * load.real;
    double a = r * r + x * x;
    double b = 2 * x * cross - r;
    double c = cross * cross + r * load.real;
    double real = (-b - sqrt(b * b - 4 * a * c)) / (2 * a);
    return (struct demand){real, load.reactive + (real - load.real) * x / r};
}

static struct surcharge surcharge_of(struct line line, struct demand demand) {
    double real = 2 * line.resistance * demand.real;
    double reactive = 2 * line.reactance * demand.reactive;
    double paid = 1 - real - reactive;
    return (struct surcharge){real / paid, reactive / paid};
}

static struct demand compute_leaf(struct leaf* leaf, struct price price) {
    leaf->demand = best_demand(leaf->demand, price);
    return leaf->demand;
}

static struct demand compute_branch(struct branch* branch, struct price begin, struct price plant) {
    struct price price = price_behind(branch->line, branch->surcharge, begin, plant);
    struct demand load = {0, 0};
    if (branch->next != NULL) load = compute_branch(branch->next, price, plant);
    struct demand here = {0, 0};
    for (int i = 0; i < leaves_per_branch; ++i) here = sum(here, compute_leaf(branch->leaves[i], price));
    branch->demand = with_losses(branch->line, sum(load, here));
    branch->surcharge = surcharge_of(branch->line, branch->demand);
    return branch->demand;
}

static struct demand compute_lateral(struct lateral* lateral, struct price begin, struct price plant) {
    struct price price = price_behind(lateral->line, lateral->surcharge, begin, plant);
    struct demand load = {0, 0};
    if (lateral->next != NULL) load = compute_lateral(lateral->next, price, plant);
    load = sum(load, compute_branch(lateral->branch, price, plant));
    lateral->demand = with_losses(lateral->line, load);
    lateral->surcharge = surcharge_of(lateral->line, lateral->demand);
    return lateral->demand;
}

void compute_demand(struct root* root, int feeders) {
    struct demand total = {0, 0};
    for (int i = 0; i < feeders; ++i) {
        total = sum(total, compute_lateral(root->feeders[i], root->price, root->price));
    }
    root->demand = total;
}
