// Equal spheres that move straight until they meet each other or a wall of the box, which has edges of 1.
// Each stands where it was at a time of its own. Multiplications and additions come in an order that is
// written, so that every machine with IEEE's numbers of 64 bits has the same bits.
#ifndef WORKLOADS_SPHERES_MOTION_H
#define WORKLOADS_SPHERES_MOTION_H

#include <stdint.h>

enum { axes = 3 };

struct sphere {
    double place[axes];
    double speed[axes];
    double time;  ///< when it was at its place
    uint16_t bounced;
};

/// When it meets that wall of the axis which it moves to; infinite where it moves to none.
double wall_time(const struct sphere* sphere, int axis, double radius);
/// When they meet if nothing comes between, not before `now`; infinite where they do not.
double meeting_time(const struct sphere* a, const struct sphere* b, double radius, double now);

/// Moves it to where it is then.
void advance(struct sphere* sphere, double time);
void bounce_off_wall(struct sphere* sphere, int axis);
/// Both are where they touch: they exchange their speeds along the line between them.
void bounce(struct sphere* a, struct sphere* b);

/// Of all of them, as each has a mass of 2.
double energy_of(const struct sphere* spheres, uint32_t count);

#endif
