#include "workloads/tsp/tour.h"

#include <math.h>
#include <stddef.h>

enum {
    few = 150,  ///< cities that are not divided further
};

double distance(const struct city* one, const struct city* other) {
    double x = one->x - other->x;
    double y = one->y - other->y;
    return sqrt(x * x + y * y);
}

static void link_cities(struct city* first, struct city* second) {
    first->next = second;
    second->prev = first;
}

/// A city's best place between two neighbours of a tour, and its distances from them.
struct gap {
    struct city *before, *after;
    double to_before, to_after;
};

static struct city* nearest(struct city* tour, const struct city* to) {
    struct city* found = tour;
    double least = distance(tour, to);
    for (struct city* at = tour->next; at != tour; at = at->next) {
        double tried = distance(at, to);
        if (tried < least) {
            least = tried;
            found = at;
        }
    }
    return found;
}

/// The cheaper of the gaps before and after the tour's city that is nearest to `city`.
static struct gap best_gap(struct city* tour, const struct city* city) {
    struct city* near = nearest(tour, city);
    struct gap before = {near->prev, near, distance(city, near->prev), distance(city, near)};
    struct gap after = {near, near->next, before.to_after, distance(city, near->next)};
    double cost_before = before.to_before - distance(near, near->prev);
    double cost_after = after.to_after - distance(near, near->next);
    return cost_before < cost_after ? before : after;
}

/// The cities at and below `at`, then those of `rest`, linked by next: left, right, and the city itself.
static struct city* listed(struct city* at, struct city* rest) {
    if (at == NULL) return rest;
    at->next = rest;
    return listed(at->left, listed(at->right, at));
}

/// A tour that grows by one city after the other, each put beside the one nearest to it.
static struct city* tour_of_few(struct city* at) {
    struct city* tour = listed(at, NULL);
    struct city* left = tour->next;
    link_cities(tour, tour);
    while (left != NULL) {
        struct city* city = left;
        left = city->next;
        struct gap gap = best_gap(tour, city);
        link_cities(gap.before, city);
        link_cities(city, gap.after);
    }
    return tour;
}

static void reverse(struct city* tour) {
    struct city* at = tour;
    do {
        struct city* next = at->next;
        at->next = at->prev;
        at->prev = next;
        at = next;
    } while (at != tour);
}

/// Joins two tours through `city`, which is put into a gap of each; what is left of the gaps is joined
/// directly. There are four ways, of which two need one tour to run backwards.
static struct city* merge(struct city* one, struct city* other, struct city* city) {
    struct gap first = best_gap(one, city);
    struct gap second = best_gap(other, city);
    double costs[] = {
        first.to_before + second.to_after + distance(first.after, second.before),
        first.to_after + second.to_before + distance(first.before, second.after),
        first.to_before + second.to_before + distance(first.after, second.after),
        first.to_after + second.to_after + distance(first.before, second.before),
    };
    int choice = 0;
    for (int i = 1; i < 4; ++i) {
        if (costs[i] < costs[choice]) choice = i;
    }
    if (choice >= 2) {
        reverse(other);
        second = (struct gap){second.after, second.before, second.to_after, second.to_before};
    }
    if (choice % 2 == 1) {
        struct gap kept = first;
        first = second;
        second = kept;
    }
    link_cities(first.before, city);
    link_cities(city, second.after);
    link_cities(second.before, first.after);
    return city;
}

struct city* make_tour(struct city* at) {
    if (at->size <= few) return tour_of_few(at);
    struct city* left = make_tour(at->left);
    struct city* right = make_tour(at->right);
    return merge(left, right, at);
}
