// Natural numbers of any size. Every operation makes its result anew, and the caller releases it with free;
// so a calculation is a stream of small objects, few of which live at a time. Each operation asks for its
// memory itself.
#ifndef WORKLOADS_FACTORS_NUMBER_H
#define WORKLOADS_FACTORS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/// 4 bytes and 4 for each digit: 8 to 40 bytes for numbers up to 2^128 and their products.
struct number {
    uint32_t count;     ///< of digits; the last one is not 0
    uint32_t digits[];  ///< to the base 2^32, the lowest first; has room for one at least
};

struct number* number_of(uint32_t value);
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

/// Below 0, 0, above 0 as a is less than b, equal, greater.
int compare(const struct number* a, const struct number* b);
bool is_zero(const struct number* a);
bool is_one(const struct number* a);
bool is_even(const struct number* a);

#endif
