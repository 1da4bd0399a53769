// continued_fraction NUMBER: two factors of a number, by the continued fraction of its square root (Morrison
// and Brillhart 1975). In the character of cfrac, which Li, Mohanty and Kavi's table 3 gives a number of 22
// digits and objects of 8 bytes: each result of an operation with numbers of any size is a small object of
// its own, and soon released. Its digits have 16 bits, and so has their count, on every machine.
//
// The original's memory is this program's: an expansion of the square root, of which every term makes some
// twenty numbers; trial division; and the relations, which live until the end.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/continued_fraction/expansion.h"
#include "workloads/continued_fraction/relations.h"

enum { most_decimals = 26, most_multiplier = 40, largest_small = UINT8_MAX };

/// As many primes as make the work small for that many digits, found by trial.
static uint32_t base_size(size_t decimals) {
    return (uint32_t)(10 + decimals * decimals / 8);
}

static bool is_proper(const struct number* divisor, const struct number* number) {
    return !is_one(divisor) && compare(divisor, number) != 0;
}

/// A proper divisor from relations of that expansion, or NULL: where it begins anew, or relations are enough
/// without one.
static struct number* divisor_from(struct expansion* expansion, uint32_t primes) {
    struct base base = base_of(expansion->radicand, primes);
    struct matrix matrix = matrix_over(&base);
    struct number* found = NULL;
    do {
        expansion_step(expansion);
        struct relation* relation = relation_of(&base, expansion);
        if (relation == NULL) continue;
        struct number* divisor = add_relation(&matrix, relation, expansion->number);
        if (divisor != NULL && is_proper(divisor, expansion->number)) found = divisor;
        if (found == NULL) free(divisor);
    } while (found == NULL && !is_full(&matrix) && !is_one(expansion->complete));
    release_matrix(&matrix);
    free(base.primes);
    return found;
}

/// NULL where there is none, or it is too large.
static struct number* small_divisor(const struct number* number) {
    for (uint32_t i = 2; i <= largest_small; ++i) {
        struct number *divisor = number_of((digit)i), *rest = remainder_of(number, divisor);
        const bool divides = is_zero(rest) && compare(divisor, number) < 0;
        free(rest);
        if (divides) return divisor;
        free(divisor);
    }
    return NULL;
}

/// The square root where that divides.
static struct number* root_divisor(const struct number* number) {
    struct number* root = square_root_of(number);
    struct number* square = square_of(root);
    if (compare(square, number) != 0) root = in_place_of(root, NULL);
    free(square);
    return root;
}

/// A proper divisor; NULL where none was found, as of primes.
static struct number* divisor_of(const struct number* number, size_t decimals) {
    struct number* found = small_divisor(number);
    if (found == NULL) found = root_divisor(number);
    for (digit multiplier = 1; multiplier < most_multiplier && found == NULL; multiplier += 2) {
        struct expansion expansion = expansion_of(number, multiplier);
        struct number* square = square_of(expansion.root);
        if (compare(square, expansion.radicand) != 0) found = divisor_from(&expansion, base_size(decimals));
        free(square);
        release_expansion(&expansion);
    }
    return found;
}

static void print_product(const struct number* number, const struct number* divisor) {
    struct number* quotient = quotient_of(number, divisor);
    const bool is_smaller = compare(divisor, quotient) < 0;
    print_number(number);
    fputs(" = ", stdout);
    print_number(is_smaller ? divisor : quotient);
    fputs(" * ", stdout);
    print_number(is_smaller ? quotient : divisor);
    fputs("\n", stdout);
    free(quotient);
}

int main(int count, char** arguments) {
    const char* text = count == 2 ? arguments[1] : "";
    struct number* number = strlen(text) <= most_decimals ? number_from_text(text) : NULL;
    if (number == NULL || is_zero(number) || is_one(number)) {
        free(number);
        fprintf(stderr, "usage: continued_fraction NUMBER (from 2, at most %d digits)\n", most_decimals);
        return 2;
    }
    struct number* divisor = divisor_of(number, strlen(text));
    if (divisor == NULL) {
        print_number(number);
        fputs(" has no factors that were found\n", stdout);
    } else {
        print_product(number, divisor);
    }
    free(divisor);
    free(number);
    return 0;
}
