// What a customer of power's network takes at a price.
#ifndef WORKLOADS_POWER_CUSTOMER_H
#define WORKLOADS_POWER_CUSTOMER_H

/// Power that is taken: the real part, which does work, and the reactive part, which does none.
struct demand {
    double real, reactive;
};

/// What a unit of each part costs.
struct price {
    double real, reactive;
};

/// The demand of the greatest benefit at the price, looked for from `last` on; none where it would be below
/// zero. A customer's real demand is five times the reactive, and the sum of their squares at most 0.8.
struct demand best_demand(struct demand last, struct price price);

#endif
