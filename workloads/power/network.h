// power's network: a plant, whose feeders are lists of laterals, each with a list of branches, each with ten
// customers.
#ifndef WORKLOADS_POWER_NETWORK_H
#define WORKLOADS_POWER_NETWORK_H

#include "workloads/power/customer.h"

enum { laterals_per_feeder = 20, branches_per_lateral = 5, leaves_per_branch = 10 };
enum { leaves_per_feeder = laterals_per_feeder * branches_per_lateral * leaves_per_branch };

/// What the losses of a line add to the prices of those behind it, per unit of the plant's.
struct surcharge {
    double real, reactive;
};

struct line {
    double resistance, reactance;
};

/// A customer, 32 bytes.
struct leaf {
    struct demand demand;
    struct price price;  ///< the original's; nothing writes or reads it there either
};

/// A piece of line with customers at its end, 136 bytes.
struct branch {
    struct demand demand;  ///< of the customers, those of the next and what the line loses
    struct surcharge surcharge;
    struct line line;
    struct branch* next;
    struct leaf* leaves[leaves_per_branch];
};

/// A piece of line with branches at its end, 64 bytes.
struct lateral {
    struct demand demand;  ///< of the branches, those of the next and what the line loses
    struct surcharge surcharge;
    struct line line;
    struct lateral* next;
    struct branch* branch;
};

/// The plant, 64 bytes and a pointer per feeder.
struct root {
    struct demand demand;
    struct price price;
    struct demand last_demand;
    struct price last_price;
    struct lateral* feeders[];
};

/// A plant with so many feeders and all behind them. Ends the process where memory runs out.
struct root* make_network(int feeders);

/// Lets the plant's price reach every customer, and their demands come back to the plant. Prices rise on the
/// way by the losses that lines had at the demand before.
void compute_demand(struct root* root, int feeders);

#endif
