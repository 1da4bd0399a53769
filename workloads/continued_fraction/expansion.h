// The continued fraction of the square root of a number's multiple, one term after the other.
#ifndef WORKLOADS_CONTINUED_FRACTION_EXPANSION_H
#define WORKLOADS_CONTINUED_FRACTION_EXPANSION_H

#include "workloads/factors/number.h"

/// After n steps numerator^2 is (-1)^n times complete modulo the number (Morrison and Brillhart 1975, section
/// 2). Its numbers are its own.
struct expansion {
    struct number* number;
    struct number* radicand;   ///< the number times the multiplier; no square
    struct number* root;       ///< the square root, without its fraction
    struct number* offset;     ///< P of the n-th complete quotient (P + the square root) / Q
    struct number* complete;   ///< Q of it
    struct number* term;       ///< the whole part of it
    struct number* earlier;    ///< the numerator of the convergent before
    struct number* numerator;  ///< of the convergent of n terms, modulo the number
    unsigned steps;            ///< n
};

/// Before the first step. The number is copied.
struct expansion expansion_of(const struct number* number, digit multiplier);
void expansion_step(struct expansion* expansion);
void release_expansion(struct expansion* expansion);

/// Without its fraction.
struct number* square_root_of(const struct number* number);

#endif
