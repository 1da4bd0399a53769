#include "workloads/art/network.h"

#include <math.h>
#include <stddef.h>

#include "workloads/memory.h"

enum { rounds = 3, lessons = 8 };

static const double a = 10, b = 10, c = 0.1, d = 0.9;
static const double noise_floor = 1e-3;  // the theory's theta, for values of some 1 / sqrt(neurons)
static const double vigilance = 0.9986;

static void make_weights(struct network* network) {
    size_t row = (size_t)network->categories * sizeof(double);
    double untrained = 0.5 / ((1 - d) * sqrt(network->neurons));
    network->bus = or_exit(malloc((size_t)network->neurons * sizeof(double*)));
    network->tds = or_exit(malloc((size_t)network->neurons * sizeof(double*)));
    for (int i = 0; i < network->neurons; ++i) {
        network->bus[i] = or_exit(malloc(row));
        network->tds[i] = or_exit(malloc(row));
        for (int j = 0; j < network->categories; ++j) {
            network->bus[i][j] = untrained;
            network->tds[i][j] = 0;
        }
    }
}

struct network make_network(int neurons, int categories) {
    struct network made = {.neurons = neurons, .categories = categories, .winner = -1};
    made.f1 = or_exit(malloc((size_t)neurons * sizeof *made.f1));
    for (int i = 0; i < neurons; ++i) made.f1[i].I = or_exit(malloc(inputs * sizeof *made.f1[i].I));
    made.f2 = or_exit(malloc((size_t)categories * sizeof *made.f2));
    make_weights(&made);
    return made;
}

static void clear_neurons(struct network* network) {
    for (int i = 0; i < network->neurons; ++i) {
        struct neuron* at = &network->f1[i];
        at->W = at->X = at->V = at->U = at->P = at->Q = at->R = 0;
    }
    network->winner = -1;
}

/// What the theory calls f: lets nothing through that is within the noise.
static double over_noise(const struct network* network, double value) {
    return value * sqrt(network->neurons) < noise_floor ? 0 : value;
}

/// 1 / length, or 0 for the length 0, from the sum of squares.
static double reciprocal_length(double squares) {
    return squares > 0 ? 1 / sqrt(squares) : 0;
}

static void settle_inner(struct network* network, int input) {
    double squares = 0;
    for (int i = 0; i < network->neurons; ++i) {
        struct neuron* at = &network->f1[i];
        at->W = at->I[input] + a * at->U;
        squares += at->W * at->W;
    }
    double scale = reciprocal_length(squares);
    for (int i = 0; i < network->neurons; ++i) network->f1[i].X = network->f1[i].W * scale;
    squares = 0;
    for (int i = 0; i < network->neurons; ++i) {
        struct neuron* at = &network->f1[i];
        at->V = over_noise(network, at->X) + b * over_noise(network, at->Q);
        squares += at->V * at->V;
    }
    scale = reciprocal_length(squares);
    for (int i = 0; i < network->neurons; ++i) network->f1[i].U = network->f1[i].V * scale;
}

static void settle_outer(struct network* network) {
    double squares = 0;
    for (int i = 0; i < network->neurons; ++i) {
        struct neuron* at = &network->f1[i];
        at->P = at->U + (network->winner < 0 ? 0 : d * network->tds[i][network->winner]);
        squares += at->P * at->P;
    }
    double scale = reciprocal_length(squares);
    for (int i = 0; i < network->neurons; ++i) network->f1[i].Q = network->f1[i].P * scale;
}

static void compete(struct network* network) {
    network->winner = -1;
    for (int j = 0; j < network->categories; ++j) {
        double y = 0;
        if (!network->f2[j].reset) {
            for (int i = 0; i < network->neurons; ++i) y += network->f1[i].P * network->bus[i][j];
        }
        network->f2[j].y = y;
        if (network->f2[j].reset) continue;
        if (network->winner < 0 || y > network->f2[network->winner].y) network->winner = j;
    }
}

/// The length of R, which is 1 where the winner expects just these features.
static double match(struct network* network) {
    double u_squares = 0;
    double p_squares = 0;
    for (int i = 0; i < network->neurons; ++i) {
        u_squares += network->f1[i].U * network->f1[i].U;
        p_squares += network->f1[i].P * network->f1[i].P;
    }
    double lengths = sqrt(u_squares) + c * sqrt(p_squares);
    double squares = 0;
    for (int i = 0; i < network->neurons; ++i) {
        struct neuron* at = &network->f1[i];
        at->R = lengths > 0 ? (at->U + c * at->P) / lengths : 0;
        squares += at->R * at->R;
    }
    return sqrt(squares);
}

double find_category(struct network* network, int input) {
    for (int j = 0; j < network->categories; ++j) network->f2[j] = (struct category){0, false};
    for (;;) {
        clear_neurons(network);
        for (int round = 0; round < rounds; ++round) {
            settle_inner(network, input);
            settle_outer(network);
            compete(network);
        }
        if (network->winner < 0) return 0;
        settle_outer(network);
        double matched = match(network);
        if (matched >= vigilance) return matched;
        network->f2[network->winner].reset = true;
    }
}

void learn(struct network* network) {
    int winner = network->winner;
    if (winner < 0) return;
    for (int lesson = 0; lesson < lessons; ++lesson) {
        for (int i = 0; i < network->neurons; ++i) {
            double expected = network->f1[i].U + d * network->tds[i][winner];
            network->tds[i][winner] = expected;
            network->bus[i][winner] = expected;
        }
    }
}
