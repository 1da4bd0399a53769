// tsp CITIES [SEED [list]]: a travelling salesman's tour by Karp's partitioning: tours of some hundred cities
// each grow by the nearest neighbour, and those of a city's left and right are joined through it, from the
// bottom up. Prints the length of the tour; with `list` also its cities, backwards.
//
// Written afresh after Olden's tsp (Rogers, Carlisle, Reppy and Hendren 1995; Karp 1977). As there, a city is
// 56 bytes; the tree is built depth first, a city before those on its left and those on its right, one malloc
// each; tours are made from the leaves up, and a merge walks both tours to the end for the city nearest to
// the one that joins them, and one of them again where it must be reversed. So the walks are in the order of
// tours, which stays near the order of the requests within subtrees only. The original's tree has the next
// lower 2^k - 1 cities; this one has as many as it is told.
//
// Heap bytes: CITIES of 64 in glibc's malloc (56 and a header of 8). Time grows with CITIES log(CITIES).
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/phases.h"
#include "workloads/tsp/cities.h"
#include "workloads/tsp/tour.h"

static double tour_length(const struct city* tour) {
    double sum = 0;
    const struct city* at = tour;
    do {
        sum += distance(at, at->next);
        at = at->next;
    } while (at != tour);
    return sum;
}

static void print_backwards(const struct city* tour) {
    const struct city* at = tour;
    do {
        printf("%.17g %.17g\n", at->x, at->y);
        at = at->prev;
    } while (at != tour);
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int cities = count >= 2 ? atoi(arguments[1]) : 0;
    unsigned long seed = count >= 3 ? strtoul(arguments[2], NULL, 10) : 1;
    bool listing = count == 4 && strcmp(arguments[3], "list") == 0;
    if (cities < 1 || count > 4 || (count == 4 && !listing)) {
        fputs("usage: tsp CITIES [SEED [list]] [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct city* tree = random_cities(cities, seed);
    phase_end("build_time", began);
    began = phase_begin();
    struct city* tour = make_tour(tree);
    phase_end("tour_time", began);
    printf("length %.15g\n", tour_length(tour));
    if (listing) print_backwards(tour);
    return 0;
}
