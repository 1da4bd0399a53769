#include "workloads/tsp/cities.h"

#include <stdbool.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"

struct range {
    double least, most;
};

static double uniform(struct range range, uint64_t* random) {
    return range.least + random_unit(random) * (range.most - range.least);
}

/// Where a range is divided: mostly near its middle. The original draws from an exponential distribution to
/// both sides; a product of three draws is of the same shape and needs no logarithm, which C libraries round
/// differently.
static double near_middle(struct range range, uint64_t* random) {
    double offset = 1;
    for (int i = 0; i < 3; ++i) offset *= 2 * random_unit(random) - 1;
    return range.least + (1 + offset) / 2 * (range.most - range.least);
}

static struct city* build(int count, bool across, struct range x, struct range y, uint64_t* random) {
    if (count == 0) return NULL;
    struct city* made = or_exit(malloc(sizeof *made));
    int left = count / 2;
    int right = count - 1 - left;
    if (across) {
        double middle = near_middle(x, random);
        made->left = build(left, !across, (struct range){x.least, middle}, y, random);
        made->right = build(right, !across, (struct range){middle, x.most}, y, random);
        made->x = middle;
        made->y = uniform(y, random);
    } else {
        double middle = near_middle(y, random);
        made->left = build(left, !across, x, (struct range){y.least, middle}, random);
        made->right = build(right, !across, x, (struct range){middle, y.most}, random);
        made->x = uniform(x, random);
        made->y = middle;
    }
    made->size = count;
    made->next = NULL;
    made->prev = NULL;
    return made;
}

struct city* random_cities(int count, uint64_t seed) {
    uint64_t random = random_begin(seed);
    return build(count, false, (struct range){0, 1}, (struct range){0, 1}, &random);
}
