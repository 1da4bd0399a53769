#include "workloads/spheres/motion.h"

#include <math.h>

static double product(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double wall_time(const struct sphere* sphere, int axis, double radius) {
    const double speed = sphere->speed[axis];
    if (speed == 0) return INFINITY;
    const double wall = speed > 0 ? 1 - radius : radius;
    return sphere->time + (wall - sphere->place[axis]) / speed;
}

/// What rounding leaves of a distance where two touch counts as none.
static double first_touch(const double* apart, const double* speed, double radius) {
    const double nearing = product(apart, speed);
    if (nearing >= 0) return INFINITY;
    const double speed_squared = product(speed, speed);
    const double gap = product(apart, apart) - 4 * radius * radius;
    if (gap <= 0) return 0;
    const double discriminant = nearing * nearing - speed_squared * gap;
    return discriminant < 0 ? INFINITY : (-nearing - sqrt(discriminant)) / speed_squared;
}

double meeting_time(const struct sphere* a, const struct sphere* b, double radius, double now) {
    double apart[axes], speed[axes];
    const double a_moves = now - a->time, b_moves = now - b->time;
    for (int i = 0; i < axes; ++i) {
        speed[i] = a->speed[i] - b->speed[i];
        apart[i] = (a->place[i] + a->speed[i] * a_moves) - (b->place[i] + b->speed[i] * b_moves);
    }
    return now + first_touch(apart, speed, radius);
}

void advance(struct sphere* sphere, double time) {
    const double moves = time - sphere->time;
    for (int i = 0; i < axes; ++i) sphere->place[i] += sphere->speed[i] * moves;
    sphere->time = time;
}

void bounce_off_wall(struct sphere* sphere, int axis) {
    sphere->speed[axis] = -sphere->speed[axis];
    ++sphere->bounced;
}

void bounce(struct sphere* a, struct sphere* b) {
    double apart[axes], speed[axes];
    for (int i = 0; i < axes; ++i) {
        apart[i] = a->place[i] - b->place[i];
        speed[i] = a->speed[i] - b->speed[i];
    }
    const double exchanged = product(apart, speed) / product(apart, apart);
    for (int i = 0; i < axes; ++i) {
        a->speed[i] -= exchanged * apart[i];
        b->speed[i] += exchanged * apart[i];
    }
    ++a->bounced;
    ++b->bounced;
}

double energy_of(const struct sphere* spheres, uint32_t count) {
    double energy = 0;
    for (uint32_t i = 0; i < count; ++i) energy += product(spheres[i].speed, spheres[i].speed);
    return energy;
}
