#include "workloads/twolf/netlist.h"

#include <stddef.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { least_terminals = 2, most_terminals = 6, neighbourhood = 64 };

/// Three of four times a number near that of the cell.
static int draw_net(int cell, int count, uint64_t* state) {
    if (random_below(state, 4) == 0) return (int)random_below(state, (uint64_t)count);
    return (cell + (int)random_below(state, neighbourhood)) % count;
}

static struct pin* new_pin(int cell, struct net* net) {
    struct pin* made = or_exit(malloc(sizeof *made));
    *made = (struct pin){.next = net->pins, .cell = cell};
    net->pins = made;
    ++net->count;
    return made;
}

static struct net* new_net(void) {
    struct net* made = or_exit(malloc(sizeof *made));
    *made = (struct net){0};
    return made;
}

static struct terminal* new_terminal(struct netlist* netlist, int number, uint64_t* state) {
    const struct cell* cell = netlist->cells[number];
    struct terminal* made = or_exit(malloc(sizeof *made));
    made->net = draw_net(number, netlist->count, state);
    if (netlist->nets[made->net] == NULL) netlist->nets[made->net] = new_net();
    made->pin = new_pin(number, netlist->nets[made->net]);
    made->x_offset = (short)(cell->tile->left + (int)random_below(state, (uint64_t)cell->width + 1));
    made->y_offset = (short)(random_below(state, 2) ? cell->tile->top : cell->tile->bottom);
    return made;
}

static struct tile* new_tile(int width) {
    struct tile* made = or_exit(malloc(sizeof *made));
    int left = -(width / 2);
    *made = (struct tile){NULL, left, left + width, -row_height / 2, row_height / 2};
    return made;
}

static void add_cell(struct netlist* netlist, int number, uint64_t* state) {
    struct cell* made = or_exit(malloc(sizeof *made));
    size_t length = (size_t)snprintf(NULL, 0, "cell%d", number) + 1;
    made->name = or_exit(malloc(length));
    snprintf(made->name, length, "cell%d", number);
    made->width = least_width + (int)random_below(state, most_width - least_width + 1);
    made->tile = new_tile(made->width);
    netlist->cells[number] = made;
    struct terminal** end = &made->tile->terminals;
    int terminals = least_terminals + (int)random_below(state, most_terminals - least_terminals + 1);
    for (int i = 0; i < terminals; ++i) {
        *end = new_terminal(netlist, number, state);
        end = &(*end)->next;
    }
    *end = NULL;
}

struct netlist make_netlist(int count, uint64_t* state) {
    struct netlist made = {.count = count};
    made.cells = or_exit(calloc((size_t)count, sizeof(struct cell*)));
    made.nets = or_exit(calloc((size_t)count, sizeof(struct net*)));
    for (int number = 0; number < count; ++number) add_cell(&made, number, state);
    return made;
}
