// A short tour through all cities, by Karp's partitioning of 1977.
#ifndef WORKLOADS_TSP_TOUR_H
#define WORKLOADS_TSP_TOUR_H

#include "workloads/tsp/cities.h"

/// Links the cities at and below `at` into a tour by next and prev; returns one of them. `at` is not NULL.
struct city* make_tour(struct city* at);

double distance(const struct city* one, const struct city* other);

#endif
