// An ART 2 network (Carpenter and Grossberg 1987) in the arrays of SPEC CPU2000's art: a layer of neurons for
// the features of an input, a layer of categories, and weights between them in one row per neuron.
#ifndef WORKLOADS_ART_NETWORK_H
#define WORKLOADS_ART_NETWORK_H

#include <stdbool.h>

enum { inputs = 2 };

/// 64 bytes; the names are the theory's.
struct neuron {
    double* I;  ///< [inputs]
    double W, X, V, U, P, Q, R;
};

struct category {
    double y;  ///< how well it answers to the features
    bool reset;
};

struct network {
    int neurons, categories;
    struct neuron* f1;
    struct category* f2;
    double** bus;  ///< [neurons][categories], from features to categories
    double** tds;  ///< [neurons][categories], from categories to features
    int winner;
};

/// Makes an untrained network. Requests in the original's order: the layer, each neuron's inputs, the
/// categories, the two arrays of rows, then a row of `bus` and a row of `tds` in turn for each neuron. Never
/// freed.
struct network make_network(int neurons, int categories);

/// Finds the category of input `input`. Returns how well it matches, from 0 to 1; `winner` is -1 where all
/// categories were reset. Each time, up to 3 rounds settle the features in one walk after another over the
/// neurons; then for each category in turn the column of `bus` is walked down through the rows.
double find_category(struct network* network, int input);

/// Draws the weights of the winner, down a column of both arrays, to the features.
void learn(struct network* network);

#endif
