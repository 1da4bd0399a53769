// power FEEDERS: a power plant looks for the price at which its customers take as much as the price stands
// for. It sets a price, which rises by the losses of the lines on its way to the customers; each looks for
// the demand of the greatest benefit to it; what they and the lines take is added up on the way back. Prints
// for every pass through the network the price of real and of reactive power and the demand of both; the last
// pass changes nothing more.
//
// Written afresh after Olden's power (Carlisle and Rogers 1995; the problem is Lumetta, Murphy, Li, Culler
// and Khalil's "Decentralized optimal power pricing" of 1993). As there, a feeder is a list of 20 laterals
// (64 bytes), each with a list of 5 branches (136 bytes), each with 10 customers (32 bytes) in an array of
// pointers; a lateral is made before those behind it in the list, and they before its branches; a branch
// before those behind it, and they before its customers. One malloc each. A pass walks in this order, and
// writes each structure once on its way back. The first prices, the search of a customer, the losses and
// the tolerances are the original's, and so is the demand at a price.
//
// The original has 10 feeders and takes the demand of 10,000 for the price of one; here the price is the
// demand of a customer, so that it hardly depends on the number of feeders. The next price comes from one
// slope of the demand instead of a table of them.
//
// Heap bytes in glibc's malloc: 64000 per feeder (20 laterals of 80, 100 branches of 144, 1000 customers of
// 48); with 10 feeders 640,160, the plant's among them. Time grows with FEEDERS, over 19 passes.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/phases.h"
#include "workloads/power/network.h"

enum { most_feeders = 100000 };

static const double tolerance = 1e-5;
static const double demand_slope = -3;  ///< how a customer's demand changes with the price, about

/// The demand of a customer, on average, with its part of the losses.
static struct demand per_customer(const struct root* root, int feeders) {
    double customers = feeders * leaves_per_feeder;
    return (struct demand){root->demand.real / customers, root->demand.reactive / customers};
}

static void set_price(struct root* root, struct price price) {
    root->last_demand = root->demand;
    root->last_price = root->price;
    root->price = price;
}

/// A step of Newton's method towards the price that is equal to the demand at it.
static double next_price(double price, double demand) {
    return price + (demand - price) / (1 - demand_slope);
}

/// Sets another price unless it is equal to the demand at it.
static bool change_price(struct root* root, int feeders) {
    struct price price = root->price;
    struct demand demand = per_customer(root, feeders);
    if (fabs(demand.real - price.real) < tolerance && fabs(demand.reactive - price.reactive) < tolerance) {
        return false;
    }
    set_price(root, (struct price){
                        next_price(price.real, demand.real),
                        next_price(price.reactive, demand.reactive),
                    });
    return true;
}

static void compute(struct root* root, int feeders) {
    compute_demand(root, feeders);
    printf("price %.6f %.6f demand %.2f %.2f\n", root->price.real, root->price.reactive, root->demand.real,
           root->demand.reactive);
}

static void settle(struct root* root, int feeders) {
    compute(root, feeders);
    set_price(root, (struct price){0.7, 0.14});
    do {
        compute(root, feeders);
    } while (change_price(root, feeders));
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int feeders = count == 2 ? atoi(arguments[1]) : 0;
    if (feeders < 1 || feeders > most_feeders) {
        fputs("usage: power FEEDERS [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct root* root = make_network(feeders);
    phase_end("build_time", began);
    began = phase_begin();
    settle(root, feeders);
    phase_end("compute_time", began);
    return 0;
}
