// Squares whose remainders are made of few primes, and the products of some of them that are squares again.
#ifndef WORKLOADS_CONTINUED_FRACTION_RELATIONS_H
#define WORKLOADS_CONTINUED_FRACTION_RELATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/continued_fraction/expansion.h"

/// The primes modulo which the radicand is a square; no others divide what the expansion gives.
struct base {
    uint32_t count;
    digit* primes;
};

/// The `count` smallest ones.
struct base base_of(const struct number* radicand, uint32_t count);

/// root^2 is (-1)^exponents[0], times the i-th prime to the power of exponents[i + 1] for each, modulo the
/// number.
struct relation {
    struct number* root;
    uint8_t exponents[];
};

/// The relation of the last step, or NULL where other primes are left.
struct relation* relation_of(const struct base* base, const struct expansion* expansion);

/// Relations by elimination: each row is a product of relations, as far as its exponents are odd.
struct matrix {
    const struct base* base;
    uint32_t capacity;            ///< of relations
    uint32_t count;               ///< of relations
    struct relation** relations;  ///< by their age
    uint32_t** rows;              ///< by their first odd exponent; NULL where there is none
};

struct matrix matrix_over(const struct base* base);
/// Takes the relation over. Gives a divisor of the number, which may be 1 or the number, where a product of
/// relations is a square now, and NULL otherwise.
struct number* add_relation(struct matrix* matrix, struct relation* relation, const struct number* number);
bool is_full(const struct matrix* matrix);
void release_matrix(struct matrix* matrix);

#endif
