#include "workloads/twolf/rows.h"

#include "workloads/memory.h"

enum { misfit_weight = 2 };

int misfit(int used) {
    return misfit_weight * abs(used - bin_width);
}

static void place_pins(const struct cell* cell) {
    for (struct terminal* at = cell->tile->terminals; at != NULL; at = at->next) {
        at->pin->x = cell->x + at->x_offset;
        at->pin->y = cell->y + at->y_offset;
    }
}

static struct bin* fill_bin(struct netlist* netlist, const struct rows* rows, int number) {
    struct bin* made = or_exit(malloc(sizeof *made));
    *made = (struct bin){0};
    made->cells = or_exit(malloc(cells_per_bin * sizeof *made->cells));
    int left = number % rows->bins * bin_width;
    for (int i = number * cells_per_bin; made->count < cells_per_bin && i < netlist->count; ++i) {
        struct cell* cell = netlist->cells[i];
        cell->bin = number;
        cell->slot = made->count;
        cell->x = left + made->used + cell->width / 2;
        cell->y = number / rows->bins * row_height;
        place_pins(cell);
        made->used += cell->width;
        made->cells[made->count++] = i;
    }
    return made;
}

struct rows make_rows(struct netlist* netlist) {
    struct rows made = {.bins = 1, .all = (netlist->count + cells_per_bin - 1) / cells_per_bin};
    // As wide as high.
    while ((long)made.bins * made.bins * bin_width < (long)made.all * row_height) ++made.bins;
    made.count = (made.all + made.bins - 1) / made.bins;
    made.bin = or_exit(malloc((size_t)made.all * sizeof(struct bin*)));
    for (int number = 0; number < made.all; ++number) made.bin[number] = fill_bin(netlist, &made, number);
    return made;
}
