// art NEURONS CATEGORIES WINDOWS: a neural network learns two objects and looks for them in windows of an
// image, as SPEC CPU2000's art (Zhao, Rabbah and Wong measure it). Phases: the arrays are made and both
// objects loaded; the objects are learned; then WINDOWS times a noisy object is loaded and its category
// found. There are no linked structures: neurons of 64 bytes are walked in order, and for each category all
// rows of weights at one column (network.h). Prints each presentation's category, its answer and match.
//
// Requests: per neuron 16 bytes for its inputs and 2 rows of 8 CATEGORIES bytes, which lie in turn. Bytes of
// the C library's heap: per neuron 64 + 32 + 16 + 2 rows, a row being 8 CATEGORIES + 8 bytes, rounded up to
// 16 and 32 at least. With SPEC's 11 categories 304.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/art/network.h"
#include "workloads/phases.h"
#include "workloads/random.h"

/// Loads a random picture of an object, half of it black; a share `noise` of it is what `seed` draws instead.
static void load(struct network* network, int input, int object, double noise, unsigned seed) {
    uint64_t picture = random_begin((uint64_t)object + 1);
    uint64_t disturbance = random_begin((uint64_t)seed + 1000);
    for (int i = 0; i < network->neurons; ++i) {
        double value = random_unit(&picture);
        double drawn = random_unit(&disturbance);
        if (value < 0.5) value = 0;
        network->f1[i].I[input] = drawn < noise ? drawn / noise : value;
    }
}

static void report(const struct network* network, const char* what, double matched) {
    double answer = network->winner < 0 ? 0 : network->f2[network->winner].y;
    printf("%s category %d answer %.6e match %.6e\n", what, network->winner, answer, matched);
}

static void learn_objects(struct network* network) {
    double began = phase_begin();
    for (int object = 0; object < inputs; ++object) load(network, object, object, 0, 0);
    for (int object = 0; object < inputs; ++object) {
        double matched = find_category(network, object);
        learn(network);
        report(network, "learned", matched);
    }
    phase_end("learn_time", began);
}

static void look_at_windows(struct network* network, int windows) {
    double began = phase_begin();
    for (int window = 0; window < windows; ++window) {
        load(network, 0, window % inputs, 0.1 * (1 + window % 4), (unsigned)window);
        report(network, "found", find_category(network, 0));
    }
    phase_end("match_time", began);
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int neurons = count == 4 ? atoi(arguments[1]) : 0;
    int categories = count == 4 ? atoi(arguments[2]) : 0;
    int windows = count == 4 ? atoi(arguments[3]) : 0;
    if (neurons < 1 || categories < 1 || windows < 1) {
        fputs("usage: art NEURONS CATEGORIES WINDOWS [--times]\n", stderr);
        return 2;
    }
    struct network network = make_network(neurons, categories);
    learn_objects(&network);
    look_at_windows(&network, windows);
    return 0;
}
