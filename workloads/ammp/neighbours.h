// Which atoms are close. Those farther than that, but in a neighbouring cell, act through a potential that is
// expanded around where the atom was.
#ifndef WORKLOADS_AMMP_NEIGHBOURS_H
#define WORKLOADS_AMMP_NEIGHBOURS_H

#include <stdbool.h>

struct matter;

/// Whether an atom has moved so far that its neighbours must be found again.
bool have_moved(const struct matter* matter);

/// Finds all neighbours anew, atom by atom in order of the list, through a grid of cells, which is a request
/// and freed again. Ends the process where an atom has more than its array holds.
void find_neighbours(struct matter* matter);

#endif
