// The rows that cells stand in, cut into bins.
#ifndef WORKLOADS_TWOLF_ROWS_H
#define WORKLOADS_TWOLF_ROWS_H

#include "workloads/twolf/netlist.h"

enum { cells_per_bin = 6, bin_width = cells_per_bin * (least_width + most_width) / 2 };

/// 24 bytes.
struct bin {
    int* cells;  ///< [count], numbers
    int count;
    int used;  ///< the widths of its cells
};

struct rows {
    int count;
    int bins;          ///< per row; the last row may have fewer
    int all;           ///< bins of all rows
    struct bin** bin;  ///< row by row
};

/// Puts the cells into bins in order of their numbers, and their pins where they are. Requests: per bin one
/// and its array. Never freed.
struct rows make_rows(struct netlist* netlist);

/// How badly cells of the widths `used` fit into a bin.
int misfit(int used);

#endif
