// What it costs to exchange two cells, and the exchange.
#ifndef WORKLOADS_TWOLF_EXCHANGE_H
#define WORKLOADS_TWOLF_EXCHANGE_H

#include "workloads/twolf/rows.h"

/// Sets every net's length; returns their sum.
long measure_nets(const struct netlist* netlist);

/// Looks at the exchange of two cells: puts the new places of their pins beside the old ones, and walks the
/// pins of every net that is on one of them. Returns by how much the cost grows. Before the next look the
/// exchange must be made or given up.
int look_at_exchange(const struct netlist* netlist, const struct rows* rows, int one, int other);
void make_exchange(const struct netlist* netlist, const struct rows* rows, int one, int other);
void give_up_exchange(const struct netlist* netlist, int one, int other);

#endif
