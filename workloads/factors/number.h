// Natural numbers of any size. Every operation makes its result anew, and the caller releases it with free;
// so a calculation is a stream of small objects, few of which live at a time. Each operation asks for its
// memory itself. A program may be compiled with NUMBER_DIGIT_BITS of 16, and has objects of half the size.
#ifndef WORKLOADS_FACTORS_NUMBER_H
#define WORKLOADS_FACTORS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef NUMBER_DIGIT_BITS
#define NUMBER_DIGIT_BITS 32
#endif

#if NUMBER_DIGIT_BITS == 32
typedef uint32_t digit;
typedef uint64_t two_digits;
typedef int64_t signed_digits;
#elif NUMBER_DIGIT_BITS == 16
typedef uint16_t digit;
typedef uint32_t two_digits;
typedef int32_t signed_digits;
#else
#error "a digit has 16 or 32 bits"
#endif

/// The size of a digit, and that of each digit: with 32 bits 8 to 40 bytes for numbers up to 2^128 and their
/// products.
struct number {
    digit count;     ///< of digits; the last one is not 0
    digit digits[];  ///< the lowest first; has room for one at least
};

struct number* number_of(digit value);
/// NULL where the text is not decimal.
struct number* number_from_text(const char* text);
void print_number(const struct number* number);

struct number* copy_of(const struct number* number);
struct number* sum_of(const struct number* a, const struct number* b);
/// a >= b.
struct number* difference_of(const struct number* a, const struct number* b);
struct number* product_of(const struct number* a, const struct number* b);
struct number* square_of(const struct number* a);
/// by > 0.
struct number* quotient_of(const struct number* a, const struct number* by);
struct number* remainder_of(const struct number* a, const struct number* by);
struct number* half_of(const struct number* a);
struct number* product_modulo(const struct number* a, const struct number* b, const struct number* modulus);
/// The greatest.
struct number* common_divisor(const struct number* a, const struct number* b);

/// The first is released, the second is what stands in its place.
static inline struct number* in_place_of(struct number* old, struct number* next) {
    free(old);
    return next;
}

/// Below 0, 0, above 0 as a is less than b, equal, greater.
int compare(const struct number* a, const struct number* b);
bool is_zero(const struct number* a);
bool is_one(const struct number* a);
bool is_even(const struct number* a);

#endif
