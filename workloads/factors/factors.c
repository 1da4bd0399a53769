// factors NUMBER: the prime factors of a number, by Pollard's rho method with Floyd's cycle finding (Pollard
// 1975) and the test of Miller and Rabin. All numbers are small objects on the heap, each result a new one:
// few of them live at a time, and they are made and released in turn at many call sites. The phase
// factor_time is the search alone.
#include "workloads/factors/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/phases.h"

enum { most_decimals = 38, most_factors = 128, most_together = 64, least_random = 2 };

static const uint32_t small_primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
enum { small_count = sizeof small_primes / sizeof *small_primes };

static struct number* square_modulo(const struct number* a, const struct number* modulus) {
    struct number* square = square_of(a);
    return in_place_of(square, remainder_of(square, modulus));
}

static struct number* power_modulo(const struct number* base, const struct number* exponent,
                                   const struct number* modulus) {
    struct number *result = number_of(1), *power = copy_of(base), *left = copy_of(exponent);
    while (!is_zero(left)) {
        if (!is_even(left)) result = in_place_of(result, product_modulo(result, power, modulus));
        power = in_place_of(power, square_modulo(power, modulus));
        left = in_place_of(left, half_of(left));
    }
    free(power);
    free(left);
    return result;
}

/// Whether the number is prime as far as this base tells; `less` is one less, and 2^twos times `odd`.
static bool passes(const struct number* number, const struct number* less, const struct number* odd,
                   unsigned twos, uint32_t base) {
    struct number* witness = number_of(base);
    struct number* power = in_place_of(witness, power_modulo(witness, odd, number));
    bool passed = is_one(power) || compare(power, less) == 0;
    for (unsigned i = 1; i < twos && !passed; ++i) {
        power = in_place_of(power, square_modulo(power, number));
        passed = compare(power, less) == 0;
    }
    free(power);
    return passed;
}

/// Of an odd number above the small primes.
static bool is_prime(const struct number* number) {
    struct number* one = number_of(1);
    struct number *less = difference_of(number, one), *odd = copy_of(less);
    unsigned twos = 0;
    for (; is_even(odd); ++twos) odd = in_place_of(odd, half_of(odd));
    bool passed = true;
    for (int i = 0; i < small_count && passed; ++i) {
        passed = passes(number, less, odd, twos, small_primes[i]);
    }
    free(one);
    free(less);
    free(odd);
    return passed;
}

/// value^2 + addend, modulo the number.
static struct number* step(const struct number* value, const struct number* addend,
                           const struct number* number) {
    struct number* square = square_of(value);
    struct number* rest = remainder_of(square, number);
    struct number* sum = sum_of(rest, addend);
    struct number* next = compare(sum, number) < 0 ? copy_of(sum) : difference_of(sum, number);
    free(square);
    free(rest);
    free(sum);
    return next;
}

static struct number* distance(const struct number* a, const struct number* b) {
    return compare(a, b) < 0 ? difference_of(b, a) : difference_of(a, b);
}

/// A divisor found in the cycle of that addend, which may be the number itself. So many distances are
/// multiplied, and share one common divisor.
static struct number* divisor_by(const struct number* number, uint32_t increment, int together) {
    struct number *addend = number_of(increment), *slow = number_of(least_random), *fast = copy_of(slow);
    struct number* divisor = number_of(1);
    while (is_one(divisor)) {
        struct number* product = number_of(1);
        for (int i = 0; i < together; ++i) {
            slow = in_place_of(slow, step(slow, addend, number));
            fast = in_place_of(fast, step(fast, addend, number));
            fast = in_place_of(fast, step(fast, addend, number));
            struct number* apart = distance(slow, fast);
            product = in_place_of(product, product_modulo(product, apart, number));
            free(apart);
        }
        divisor = in_place_of(divisor, common_divisor(number, product));
        free(product);
    }
    free(addend);
    free(slow);
    free(fast);
    return divisor;
}

struct factors {
    struct number* found[most_factors];
    int count;
};

/// Takes the number over.
static void find_factors(struct factors* factors, struct number* number) {
    if (is_prime(number)) {
        factors->found[factors->count++] = number;
        return;
    }
    struct number* divisor = divisor_by(number, 1, most_together);
    // Small divisors may all have come together in one product.
    for (uint32_t increment = 1; compare(divisor, number) == 0; increment += 2) {
        divisor = in_place_of(divisor, divisor_by(number, increment, 1));
    }
    struct number* other = quotient_of(number, divisor);
    free(number);
    find_factors(factors, divisor);
    find_factors(factors, other);
}

/// Takes small factors out; what is left has none.
static struct number* without_small(struct factors* factors, struct number* number) {
    for (int i = 0; i < small_count; ++i) {
        struct number *prime = number_of(small_primes[i]), *rest = remainder_of(number, prime);
        while (is_zero(rest)) {
            factors->found[factors->count++] = copy_of(prime);
            number = in_place_of(number, quotient_of(number, prime));
            rest = in_place_of(rest, remainder_of(number, prime));
        }
        free(prime);
        free(rest);
    }
    return number;
}

static int by_size(const void* a, const void* b) {
    return compare(*(struct number* const*)a, *(struct number* const*)b);
}

static bool has_product(const struct factors* factors, const struct number* number) {
    struct number* product = number_of(1);
    for (int i = 0; i < factors->count; ++i) {
        product = in_place_of(product, product_of(product, factors->found[i]));
    }
    const bool same = compare(product, number) == 0;
    free(product);
    return same;
}

static void print_and_release(struct factors* factors, const struct number* number) {
    qsort(factors->found, (size_t)factors->count, sizeof *factors->found, by_size);
    print_number(number);
    for (int i = 0; i < factors->count; ++i) {
        fputs(i == 0 ? " = " : " * ", stdout);
        print_number(factors->found[i]);
        free(factors->found[i]);
    }
    puts("");
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    struct number* number =
        count == 2 && strlen(arguments[1]) <= most_decimals ? number_from_text(arguments[1]) : NULL;
    if (number == NULL || is_zero(number) || is_one(number)) {
        fputs("usage: factors NUMBER [--times], a number above 1 of 38 decimal places at most\n", stderr);
        free(number);
        return 2;
    }
    static struct factors factors;
    double began = phase_begin();
    struct number* left = without_small(&factors, copy_of(number));
    if (is_one(left)) {
        free(left);
    } else {
        find_factors(&factors, left);
    }
    phase_end("factor_time", began);
    const bool right = has_product(&factors, number);
    print_and_release(&factors, number);
    free(number);
    return right ? 0 : 1;
}
