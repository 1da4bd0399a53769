// spheres COUNT SECONDS [SEED]: equal spheres in a box, from one bounce to the next (Alder and Wainwright
// 1959). In the character of boxed-sim, which Li, Mohanty and Kavi's table 3 runs with 10 spheres and objects
// of 24 bytes: each bounce that is foreseen is an object in a queue, and most of them never happen, as a
// sphere bounces before. Such an event is released when its turn comes. COUNT spheres fill an eighth of the
// box.
//
// Prints how often they met each other and the walls, the energy before and after and the sum of all
// coordinates in millionths, and a check sum of the coordinates' bits.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/spheres/events.h"
#include "workloads/spheres/motion.h"

/// Of a cell's edge: a sphere that touches its neighbour's cell has nowhere to go.
static const double widest_radius = 0.31;

enum { most_spheres = 10000, most_seconds = 10000 };

struct box {
    uint32_t count;
    double radius, end;
    struct sphere* spheres;
    struct event* queue;
    unsigned long met, met_walls;
};

// ---- what is foreseen. An event with a wall has the number of spheres and the axis in the other's place.

static bool has_wall(const struct box* box, const struct event* event) {
    return event->with >= box->count;
}

static void foresee(struct box* box, double time, uint32_t who, uint32_t with) {
    if (time == INFINITY) return;
    struct event* made = or_exit(malloc(sizeof *made));
    *made = (struct event){.time = time, .who = (uint16_t)who, .with = (uint16_t)with};
    made->who_bounced = box->spheres[who].bounced;
    made->with_bounced = has_wall(box, made) ? 0 : box->spheres[with].bounced;
    box->queue = with_event(box->queue, made);
}

/// All that can happen to a sphere that is where it is now, but with those of lower numbers than `from`.
static void foresee_all(struct box* box, uint32_t who, uint32_t from) {
    const struct sphere* sphere = &box->spheres[who];
    for (int axis = 0; axis < axes; ++axis) {
        foresee(box, wall_time(sphere, axis, box->radius), who, box->count + (uint32_t)axis);
    }
    for (uint32_t other = from; other < box->count; ++other) {
        if (other == who) continue;
        foresee(box, meeting_time(sphere, &box->spheres[other], box->radius, sphere->time), who, other);
    }
}

// ---- what happens

static bool still_holds(const struct box* box, const struct event* event) {
    return box->spheres[event->who].bounced == event->who_bounced &&
           (has_wall(box, event) || box->spheres[event->with].bounced == event->with_bounced);
}

static void happen(struct box* box, const struct event* event) {
    struct sphere* who = &box->spheres[event->who];
    advance(who, event->time);
    if (has_wall(box, event)) {
        bounce_off_wall(who, (int)(event->with - box->count));
        ++box->met_walls;
    } else {
        advance(&box->spheres[event->with], event->time);
        bounce(who, &box->spheres[event->with]);
        ++box->met;
        foresee_all(box, event->with, 0);
    }
    foresee_all(box, event->who, 0);
}

static void run(struct box* box) {
    for (uint32_t i = 0; i < box->count; ++i) foresee_all(box, i, i + 1);
    while (box->queue != NULL && box->queue->time <= box->end) {
        struct event* event = box->queue;
        box->queue = without_first(event);
        if (still_holds(box, event)) happen(box, event);
        free(event);
    }
    release_events(box->queue);
    for (uint32_t i = 0; i < box->count; ++i) advance(&box->spheres[i], box->end);
}

// ---- before and after

/// How many cells the box has along an edge, so that each sphere begins in one of its own.
static uint32_t cells_for(uint32_t count) {
    uint32_t cells = 1;
    while (cells * cells * cells < count) ++cells;
    return cells;
}

/// Somewhere in its cell, with a speed up to 1 along each axis.
static struct sphere random_sphere(const struct box* box, uint32_t number, uint64_t* seed) {
    const uint32_t cells = cells_for(box->count);
    const uint32_t cell[axes] = {number % cells, number / cells % cells, number / cells / cells};
    const double edge = 1.0 / cells, free_edge = edge - 2 * box->radius;
    struct sphere made = {.time = 0};
    for (int i = 0; i < axes; ++i) {
        made.place[i] = cell[i] * edge + box->radius + random_unit(seed) * free_edge;
        made.speed[i] = 2 * random_unit(seed) - 1;
    }
    return made;
}

static struct box filled_box(uint32_t count, double end, uint64_t seed) {
    struct box box = {.count = count, .radius = widest_radius / cells_for(count), .end = end};
    uint64_t state = random_begin(seed);
    box.spheres = or_exit(calloc(count, sizeof *box.spheres));
    for (uint32_t i = 0; i < count; ++i) box.spheres[i] = random_sphere(&box, i, &state);
    return box;
}

static double sum_of_places(const struct box* box) {
    double sum = 0;
    for (uint32_t i = 0; i < box->count; ++i) {
        for (int axis = 0; axis < axes; ++axis) sum += box->spheres[i].place[axis];
    }
    return sum;
}

/// FNV-1a over the coordinates' bits, 32 at a time.
static uint32_t check_sum(const struct box* box) {
    uint32_t sum = UINT32_C(2166136261);
    for (uint32_t i = 0; i < box->count; ++i) {
        for (int axis = 0; axis < axes; ++axis) {
            uint64_t bits;
            memcpy(&bits, &box->spheres[i].place[axis], sizeof bits);
            sum = (sum ^ (uint32_t)bits) * UINT32_C(16777619);
            sum = (sum ^ (uint32_t)(bits >> 32)) * UINT32_C(16777619);
        }
    }
    return sum;
}

static unsigned long in_millionths(double value) {
    return (unsigned long)(value * 1e6 + 0.5);
}

int main(int count, char** arguments) {
    const long spheres = count >= 3 ? atol(arguments[1]) : 0;
    const double seconds = count >= 3 ? atof(arguments[2]) : 0;
    const unsigned long seed = count == 4 ? strtoul(arguments[3], NULL, 10) : 1;
    if (spheres < 1 || spheres > most_spheres || !(seconds > 0 && seconds <= most_seconds) || count > 4) {
        fprintf(stderr, "usage: spheres COUNT SECONDS [SEED] (at most %d, %d)\n", most_spheres, most_seconds);
        return 2;
    }
    struct box box = filled_box((uint32_t)spheres, seconds, seed);
    const double energy = energy_of(box.spheres, box.count);
    run(&box);
    printf("met %lu walls %lu energy %lu %lu places %lu sum %08lx\n", box.met, box.met_walls,
           in_millionths(energy), in_millionths(energy_of(box.spheres, box.count)),
           in_millionths(sum_of_places(&box)), (unsigned long)check_sum(&box));
    free(box.spheres);
    return 0;
}
