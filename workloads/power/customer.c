// The original's search: steps up the slope of the benefit, each brought back to what a customer can take.
// The benefit is the sum of log(1 + part) - price * part over both parts of the demand.
#include "workloads/power/customer.h"

#include <math.h>
#include <stdbool.h>

static const double most_square = 0.8;
static const double parts = 5;  ///< the real demand over the reactive
static const double tolerance = 1e-6;

/// A direction in the plane of real and reactive demand.
struct vector {
    double real, reactive;
};

static double dot(struct vector one, struct vector other) {
    return one.real * other.real + one.reactive * other.reactive;
}

static struct demand moved(struct demand from, struct vector along, double by) {
    return (struct demand){from.real + by * along.real, from.reactive + by * along.reactive};
}

/// Makes the vector's length one; returns the length that it had.
static double normalize(struct vector* vector) {
    double length = sqrt(dot(*vector, *vector));
    vector->real /= length;
    vector->reactive /= length;
    return length;
}

/// Turns a vector of length one until it is at a right angle to `fixed`, of length one as well; returns the
/// sine of the angle that was between them. Where they were parallel nothing is left of it.
static double make_orthogonal(struct vector* vector, struct vector fixed) {
    double cosine = dot(*vector, fixed);
    *vector = (struct vector){vector->real - cosine * fixed.real, vector->reactive - cosine * fixed.reactive};
    double sine_squared = 1 - cosine * cosine;
    if (sine_squared <= 0 || normalize(vector) == 0) {
        *vector = (struct vector){0, 0};
        return 0;
    }
    return sqrt(sine_squared);
}

/// How far the real demand is above five times the reactive, and the slope of that.
static double parts_excess(struct demand at) {
    return at.real - parts * at.reactive;
}
static double parts_slope(struct vector* slope) {
    *slope = (struct vector){1, -parts};
    return normalize(slope);
}

/// How far the sum of squares is above its limit, and the slope of that.
static double square_excess(struct demand at) {
    return at.real * at.real + at.reactive * at.reactive - most_square;
}
static double square_slope(struct demand at, struct vector* slope) {
    *slope = (struct vector){2 * at.real, 2 * at.reactive};
    return normalize(slope);
}

static double benefit_slope(struct demand at, struct price price, struct vector* slope) {
    *slope = (struct vector){1 / (1 + at.real) - price.real, 1 / (1 + at.reactive) - price.reactive};
    return normalize(slope);
}

/// How fast the benefit's slope changes along a direction.
static double benefit_bend(struct demand at, struct price price, struct vector along) {
    double real = 1 / (1 + at.real);
    double reactive = 1 / (1 + at.reactive);
    struct vector slope = {real - price.real, reactive - price.reactive};
    normalize(&slope);
    struct vector bend = {-real * real * slope.real, -reactive * reactive * slope.reactive};
    return dot(bend, along);
}

/// Straight to where the parts have their ratio.
static struct demand to_parts(struct demand at) {
    struct vector slope;
    double excess = parts_excess(at);
    if (fabs(excess) <= tolerance) return at;
    double steepness = parts_slope(&slope);
    return moved(at, slope, -excess / steepness);
}

/// Back below the limit of the squares, without leaving the ratio of the parts.
static struct demand to_limit(struct demand at) {
    struct vector slope, parts_direction;
    double excess = square_excess(at);
    if (excess <= tolerance) return at;
    double steepness = square_slope(at, &slope);
    parts_slope(&parts_direction);
    steepness *= make_orthogonal(&slope, parts_direction);
    return moved(at, slope, -excess / steepness);
}

/// A step of Newton's method towards the greatest benefit, along the ratio of the parts and not beyond the
/// limit of the squares.
static struct demand to_benefit(struct demand at, struct price price) {
    struct vector slope, parts_direction, limit_slope;
    double steepness = benefit_slope(at, price, &slope);
    double step = steepness / fabs(benefit_bend(at, price, slope));
    parts_slope(&parts_direction);
    step *= make_orthogonal(&slope, parts_direction);
    square_slope(at, &limit_slope);
    double approach = dot(slope, limit_slope);
    double most = -square_excess(at) / approach;
    return moved(at, slope, approach > 0 && step > most ? most : step);
}

/// Whether the demand can be taken, and none near it is better.
static bool is_best(struct demand at, struct price price) {
    double limit_excess = square_excess(at);
    if (fabs(parts_excess(at)) > tolerance || limit_excess > tolerance) return false;
    struct vector slope, parts_direction;
    benefit_slope(at, price, &slope);
    parts_slope(&parts_direction);
    double across = slope.real * parts_direction.reactive - slope.reactive * parts_direction.real;
    return fabs(limit_excess) <= tolerance || fabs(across) <= tolerance;
}

struct demand best_demand(struct demand last, struct price price) {
    struct demand at = last;
    do {
        at = to_benefit(to_limit(to_parts(at)), price);
    } while (!is_best(at, price));
    return at.real < 0 ? (struct demand){0, 0} : at;
}
