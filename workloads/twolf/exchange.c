#include "workloads/twolf/exchange.h"

#include <limits.h>
#include <stddef.h>

struct box {
    int left, right, bottom, top;
};

static void include(struct box* box, int x, int y) {
    if (x < box->left) box->left = x;
    if (x > box->right) box->right = x;
    if (y < box->bottom) box->bottom = y;
    if (y > box->top) box->top = y;
}

/// With the new places of the pins that move.
static int new_length(const struct net* net) {
    struct box box = {INT_MAX, INT_MIN, INT_MAX, INT_MIN};
    for (const struct pin* at = net->pins; at != NULL; at = at->next) {
        if (at->is_moving) {
            include(&box, at->new_x, at->new_y);
        } else {
            include(&box, at->x, at->y);
        }
    }
    return box.right - box.left + box.top - box.bottom;
}

long measure_nets(const struct netlist* netlist) {
    long sum = 0;
    for (int i = 0; i < netlist->count; ++i) {
        struct net* net = netlist->nets[i];
        if (net == NULL) continue;
        net->length = new_length(net);
        sum += net->length;
    }
    return sum;
}

static void move_pins(const struct cell* cell, const struct cell* to) {
    for (const struct terminal* at = cell->tile->terminals; at != NULL; at = at->next) {
        at->pin->new_x = to->x + at->x_offset;
        at->pin->new_y = to->y + at->y_offset;
        at->pin->is_moving = true;
    }
}

/// The growth of the nets that are on a cell and were not touched before.
static int touch_nets(const struct netlist* netlist, const struct cell* cell) {
    int growth = 0;
    for (const struct terminal* at = cell->tile->terminals; at != NULL; at = at->next) {
        struct net* net = netlist->nets[at->net];
        if (net->is_touched) continue;
        net->is_touched = true;
        net->new_length = new_length(net);
        growth += net->new_length - net->length;
    }
    return growth;
}

static int misfit_growth(const struct rows* rows, const struct cell* one, const struct cell* other) {
    if (one->bin == other->bin) return 0;
    int from = rows->bin[one->bin]->used;
    int to = rows->bin[other->bin]->used;
    int wider = other->width - one->width;
    return misfit(from + wider) + misfit(to - wider) - misfit(from) - misfit(to);
}

int look_at_exchange(const struct netlist* netlist, const struct rows* rows, int one, int other) {
    const struct cell* first = netlist->cells[one];
    const struct cell* second = netlist->cells[other];
    move_pins(first, second);
    move_pins(second, first);
    int growth = touch_nets(netlist, first);
    growth += touch_nets(netlist, second);
    return growth + misfit_growth(rows, first, second);
}

/// Ends the look at a cell's pins and nets; where `keep`, with the new values.
static void settle(const struct netlist* netlist, const struct cell* cell, bool keep) {
    for (const struct terminal* at = cell->tile->terminals; at != NULL; at = at->next) {
        struct net* net = netlist->nets[at->net];
        if (keep) {
            at->pin->x = at->pin->new_x;
            at->pin->y = at->pin->new_y;
            net->length = net->new_length;
        }
        at->pin->is_moving = false;
        net->is_touched = false;
    }
}

void give_up_exchange(const struct netlist* netlist, int one, int other) {
    settle(netlist, netlist->cells[one], false);
    settle(netlist, netlist->cells[other], false);
}

static void swap(int* one, int* other) {
    int kept = *one;
    *one = *other;
    *other = kept;
}

void make_exchange(const struct netlist* netlist, const struct rows* rows, int one, int other) {
    struct cell* first = netlist->cells[one];
    struct cell* second = netlist->cells[other];
    struct bin* from = rows->bin[first->bin];
    struct bin* to = rows->bin[second->bin];
    settle(netlist, first, true);
    settle(netlist, second, true);
    from->used += second->width - first->width;
    to->used += first->width - second->width;
    swap(&from->cells[first->slot], &to->cells[second->slot]);
    swap(&first->bin, &second->bin);
    swap(&first->slot, &second->slot);
    swap(&first->x, &second->x);
    swap(&first->y, &second->y);
}
