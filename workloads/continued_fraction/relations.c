#include "workloads/continued_fraction/relations.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

enum { word_bits = 32, more_than_primes = 64, tried_early = 15, early_bits = 7 };

static digit remainder_by(const struct number* number, digit by) {
    two_digits rest = 0;
    for (uint32_t i = number->count; i-- > 0;) rest = (rest << NUMBER_DIGIT_BITS | number->digits[i]) % by;
    return (digit)rest;
}

static bool is_prime(uint32_t number) {
    for (uint32_t divisor = 2; divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) return false;
    }
    return number > 1;
}

/// Whether the number is a square modulo the prime, by Euler's criterion.
static bool is_square_modulo(uint32_t number, uint32_t prime) {
    uint64_t power = number % prime, result = 1;
    if (prime == 2) return true;
    for (uint32_t exponent = (prime - 1) / 2; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) result = result * power % prime;
        power = power * power % prime;
    }
    return result <= 1;
}

struct base base_of(const struct number* radicand, uint32_t count) {
    struct base base = {.primes = or_exit(malloc(count * sizeof(digit)))};
    for (digit prime = 2; base.count < count; ++prime) {
        if (is_prime(prime) && is_square_modulo(remainder_by(radicand, prime), prime)) {
            base.primes[base.count++] = prime;
        }
    }
    return base;
}

static uint32_t bits_of(const struct number* number) {
    if (is_zero(number)) return 0;
    const unsigned top = word_bits - (unsigned)__builtin_clz(number->digits[number->count - 1]);
    return (number->count - 1) * NUMBER_DIGIT_BITS + top;
}

/// Whether so little of the number has been divided off by the first primes that the others will not do it
/// (Pomerance 1982's early abort).
static bool is_hopeless(uint32_t tried, const struct number* rest, uint32_t begin_bits) {
    return tried == tried_early && bits_of(rest) + early_bits > begin_bits;
}

struct relation* relation_of(const struct base* base, const struct expansion* expansion) {
    struct number* rest = copy_of(expansion->complete);
    const uint32_t begin_bits = bits_of(rest);
    uint8_t exponents[UINT8_MAX + 1] = {(uint8_t)(expansion->steps % 2)};
    for (uint32_t i = 0; i < base->count && !is_one(rest) && !is_hopeless(i, rest, begin_bits); ++i) {
        while (remainder_by(rest, base->primes[i]) == 0) {
            struct number* prime = number_of(base->primes[i]);
            rest = in_place_of(rest, quotient_of(rest, prime));
            free(prime);
            ++exponents[i + 1];
        }
    }
    struct relation* made = NULL;
    if (is_one(rest)) {
        made = or_exit(malloc(sizeof *made + base->count + 1));
        made->root = copy_of(expansion->numerator);
        memcpy(made->exponents, exponents, base->count + 1);
    }
    free(rest);
    return made;
}

// ---- elimination. A row has a bit for each exponent that is odd, then one for each relation in its product.

static uint32_t exponent_words(const struct matrix* matrix) {
    return matrix->base->count / word_bits + 1;
}
static uint32_t row_words(const struct matrix* matrix) {
    return exponent_words(matrix) + (matrix->capacity + word_bits - 1) / word_bits;
}

struct matrix matrix_over(const struct base* base) {
    struct matrix matrix = {.base = base, .capacity = base->count + more_than_primes};
    matrix.relations = (struct relation**)or_exit(malloc(matrix.capacity * sizeof *matrix.relations));
    matrix.rows = (uint32_t**)or_exit(calloc(base->count + 1, sizeof *matrix.rows));
    return matrix;
}

bool is_full(const struct matrix* matrix) {
    return matrix->count == matrix->capacity;
}

static bool has_bit(const uint32_t* words, uint32_t bit) {
    return (words[bit / word_bits] >> bit % word_bits & 1) != 0;
}
static void set_bit(uint32_t* words, uint32_t bit) {
    words[bit / word_bits] |= UINT32_C(1) << bit % word_bits;
}

/// Of the youngest relation alone.
static uint32_t* row_of_last(const struct matrix* matrix) {
    uint32_t* row = or_exit(calloc(row_words(matrix), sizeof *row));
    const struct relation* relation = matrix->relations[matrix->count - 1];
    for (uint32_t i = 0; i <= matrix->base->count; ++i) {
        if (relation->exponents[i] % 2 != 0) set_bit(row, i);
    }
    set_bit(row + exponent_words(matrix), matrix->count - 1);
    return row;
}

/// Whether the row becomes a square; if not, it has found its place among the matrix's.
static bool becomes_square(struct matrix* matrix, uint32_t* row) {
    for (uint32_t i = 0; i <= matrix->base->count; ++i) {
        if (!has_bit(row, i)) continue;
        const uint32_t* other = matrix->rows[i];
        if (other == NULL) {
            matrix->rows[i] = row;
            return false;
        }
        for (uint32_t word = 0; word < row_words(matrix); ++word) row[word] ^= other[word];
    }
    return true;
}

/// The square root of the product of the row's remainders, from their exponents.
static struct number* root_of_remainders(const struct matrix* matrix, const uint32_t* members,
                                         const struct number* number) {
    struct number* root = number_of(1);
    for (uint32_t i = 1; i <= matrix->base->count; ++i) {
        uint32_t exponent = 0;
        for (uint32_t at = 0; at < matrix->count; ++at) {
            if (has_bit(members, at)) exponent += matrix->relations[at]->exponents[i];
        }
        struct number* prime = number_of(matrix->base->primes[i - 1]);
        for (; exponent > 0; exponent -= 2) root = in_place_of(root, product_modulo(root, prime, number));
        free(prime);
    }
    return root;
}

static struct number* root_of_squares(const struct matrix* matrix, const uint32_t* members,
                                      const struct number* number) {
    struct number* root = number_of(1);
    for (uint32_t at = 0; at < matrix->count; ++at) {
        if (!has_bit(members, at)) continue;
        root = in_place_of(root, product_modulo(root, matrix->relations[at]->root, number));
    }
    return root;
}

struct number* add_relation(struct matrix* matrix, struct relation* relation, const struct number* number) {
    matrix->relations[matrix->count++] = relation;
    uint32_t* row = row_of_last(matrix);
    if (!becomes_square(matrix, row)) return NULL;
    const uint32_t* members = row + exponent_words(matrix);
    struct number* a = root_of_squares(matrix, members, number);
    struct number* b = root_of_remainders(matrix, members, number);
    struct number* apart = compare(a, b) < 0 ? difference_of(b, a) : difference_of(a, b);
    struct number* divisor = common_divisor(number, apart);
    free(a);
    free(b);
    free(apart);
    free(row);
    return divisor;
}

void release_matrix(struct matrix* matrix) {
    for (uint32_t i = 0; i < matrix->count; ++i) {
        free(matrix->relations[i]->root);
        free(matrix->relations[i]);
    }
    for (uint32_t i = 0; i <= matrix->base->count; ++i) free(matrix->rows[i]);
    free((void*)matrix->relations);
    free((void*)matrix->rows);
}
