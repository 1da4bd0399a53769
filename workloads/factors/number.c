#include "workloads/factors/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

enum { digit_bits = NUMBER_DIGIT_BITS };

/// Inlined, so that each operation has a call site of its own. The digits are not set.
__attribute__((always_inline)) static inline struct number* room_for(uint32_t count) {
    struct number* made = or_exit(malloc(sizeof *made + (count == 0 ? 1 : count) * sizeof(digit)));
    made->count = (digit)count;
    return made;
}

static struct number* trimmed(struct number* number) {
    while (number->count > 0 && number->digits[number->count - 1] == 0) --number->count;
    return number;
}

struct number* number_of(digit value) {
    struct number* made = room_for(1);
    made->digits[0] = value;
    return trimmed(made);
}

struct number* copy_of(const struct number* number) {
    struct number* made = room_for(number->count);
    memcpy(made->digits, number->digits, number->count * sizeof(digit));
    return made;
}

bool is_zero(const struct number* a) {
    return a->count == 0;
}
bool is_one(const struct number* a) {
    return a->count == 1 && a->digits[0] == 1;
}
bool is_even(const struct number* a) {
    return a->count == 0 || a->digits[0] % 2 == 0;
}

int compare(const struct number* a, const struct number* b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->digits[i] != b->digits[i]) return a->digits[i] < b->digits[i] ? -1 : 1;
    }
    return 0;
}

// ---- text

/// number * 10 + decimal.
static struct number* with_decimal(const struct number* number, digit decimal) {
    struct number* made = room_for(number->count + 1);
    two_digits carry = decimal;
    for (uint32_t i = 0; i < number->count; ++i) {
        carry += (two_digits)number->digits[i] * 10;
        made->digits[i] = (digit)carry;
        carry >>= digit_bits;
    }
    made->digits[number->count] = (digit)carry;
    return trimmed(made);
}

struct number* number_from_text(const char* text) {
    struct number* made = number_of(0);
    for (; *text != 0; ++text) {
        if (!isdigit((unsigned char)*text)) {
            free(made);
            return NULL;
        }
        struct number* longer = with_decimal(made, (digit)(*text - '0'));
        free(made);
        made = longer;
    }
    return made;
}

void print_number(const struct number* number) {
    struct number *rest = copy_of(number), *ten = number_of(10);
    char text[400];
    size_t at = sizeof text - 1;
    text[at] = 0;
    do {
        struct number *last = remainder_of(rest, ten), *quotient = quotient_of(rest, ten);
        text[--at] = (char)('0' + (is_zero(last) ? 0 : last->digits[0]));
        free(last);
        free(rest);
        rest = quotient;
    } while (!is_zero(rest) && at > 0);
    free(rest);
    free(ten);
    fputs(text + at, stdout);
}

// ---- sums and products

struct number* sum_of(const struct number* a, const struct number* b) {
    const struct number *longer = a->count < b->count ? b : a, *other = a->count < b->count ? a : b;
    struct number* made = room_for(longer->count + 1);
    two_digits carry = 0;
    for (uint32_t i = 0; i < longer->count; ++i) {
        carry += (two_digits)longer->digits[i] + (i < other->count ? other->digits[i] : 0);
        made->digits[i] = (digit)carry;
        carry >>= digit_bits;
    }
    made->digits[longer->count] = (digit)carry;
    return trimmed(made);
}

struct number* difference_of(const struct number* a, const struct number* b) {
    struct number* made = room_for(a->count);
    signed_digits borrow = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        borrow += (signed_digits)a->digits[i] - (i < b->count ? b->digits[i] : 0);
        made->digits[i] = (digit)borrow;
        borrow >>= digit_bits;
    }
    return trimmed(made);
}

static void multiply(digit* into, const struct number* a, const struct number* b) {
    memset(into, 0, (a->count + b->count) * sizeof *into);
    for (uint32_t i = 0; i < a->count; ++i) {
        two_digits carry = 0;
        for (uint32_t j = 0; j < b->count; ++j) {
            // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): they are 0 at first.
            carry += (two_digits)a->digits[i] * b->digits[j] + into[i + j];
            into[i + j] = (digit)carry;
            carry >>= digit_bits;
        }
        into[i + b->count] = (digit)carry;
    }
}

struct number* product_of(const struct number* a, const struct number* b) {
    struct number* made = room_for(a->count + b->count);
    multiply(made->digits, a, b);
    return trimmed(made);
}

struct number* square_of(const struct number* a) {
    struct number* made = room_for(2 * a->count);
    multiply(made->digits, a, a);
    return trimmed(made);
}

struct number* half_of(const struct number* a) {
    struct number* made = room_for(a->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        const digit above = i + 1 < a->count ? a->digits[i + 1] : 0;
        made->digits[i] = (digit)(a->digits[i] >> 1 | above << (digit_bits - 1));
    }
    return trimmed(made);
}

// ---- division: Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D

static unsigned leading_zeros(digit top) {
    return (unsigned)__builtin_clz(top) - (32 - digit_bits);
}

static void shift_up(digit* into, const struct number* from, unsigned bits) {
    two_digits carry = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        carry |= (two_digits)from->digits[i] << bits;
        into[i] = (digit)carry;
        carry >>= digit_bits;
    }
    into[from->count] = (digit)carry;
}

static digit estimate(const digit* top, const digit* divisor, uint32_t count) {
    const two_digits two = (two_digits)top[0] << digit_bits | top[-1];
    two_digits guess = two / divisor[count - 1], rest = two % divisor[count - 1];
    while (guess >> digit_bits != 0 ||
           (count > 1 && guess * divisor[count - 2] > (rest << digit_bits | top[-2]))) {
        --guess;
        rest += divisor[count - 1];
        if (rest >> digit_bits != 0) break;
    }
    return (digit)guess;
}

/// Subtracts guess times the divisor; gives the guess, or one less where that was too much.
static digit take_off(digit* rest, const digit* divisor, uint32_t count, digit guess) {
    signed_digits borrow = 0;
    two_digits carry = 0;
    for (uint32_t i = 0; i <= count; ++i) {
        carry += i < count ? (two_digits)guess * divisor[i] : 0;
        borrow += (signed_digits)rest[i] - (digit)carry;
        rest[i] = (digit)borrow;
        borrow >>= digit_bits;
        carry >>= digit_bits;
    }
    if (borrow == 0) return guess;
    carry = 0;
    for (uint32_t i = 0; i <= count; ++i) {
        carry += (two_digits)rest[i] + (i < count ? divisor[i] : 0);
        rest[i] = (digit)carry;
        carry >>= digit_bits;
    }
    return (digit)(guess - 1);
}

/// `rest` has the dividend and becomes the remainder, both shifted as the divisor; `quotient` may be NULL.
static void divide(digit* rest, uint32_t rest_count, const digit* divisor, uint32_t count, digit* quotient) {
    for (uint32_t i = rest_count - count; i-- > 0;) {
        digit guess = estimate(rest + i + count, divisor, count);
        guess = take_off(rest + i, divisor, count, guess);
        if (quotient != NULL) quotient[i] = guess;
    }
}

struct number* quotient_of(const struct number* a, const struct number* by) {
    if (compare(a, by) < 0) return number_of(0);
    const unsigned bits = leading_zeros(by->digits[by->count - 1]);
    struct number *rest = room_for(a->count + 1), *divisor = room_for(by->count + 1);
    struct number* made = room_for(a->count + 1 - by->count);
    shift_up(rest->digits, a, bits);
    shift_up(divisor->digits, by, bits);
    divide(rest->digits, rest->count, divisor->digits, by->count, made->digits);
    free(rest);
    free(divisor);
    return trimmed(made);
}

struct number* remainder_of(const struct number* a, const struct number* by) {
    if (compare(a, by) < 0) return copy_of(a);
    const unsigned bits = leading_zeros(by->digits[by->count - 1]);
    struct number *rest = room_for(a->count + 1), *divisor = room_for(by->count + 1);
    struct number* made = room_for(by->count);
    shift_up(rest->digits, a, bits);
    shift_up(divisor->digits, by, bits);
    divide(rest->digits, rest->count, divisor->digits, by->count, NULL);
    for (uint32_t i = 0; i < by->count; ++i) {
        const two_digits two = (two_digits)rest->digits[i + 1] << digit_bits | rest->digits[i];
        made->digits[i] = (digit)(two >> bits);
    }
    free(rest);
    free(divisor);
    return trimmed(made);
}

// ---- what is made of these

struct number* product_modulo(const struct number* a, const struct number* b, const struct number* modulus) {
    struct number* product = product_of(a, b);
    return in_place_of(product, remainder_of(product, modulus));
}

struct number* common_divisor(const struct number* a, const struct number* b) {
    struct number *large = copy_of(a), *small = copy_of(b);
    while (!is_zero(small)) {
        struct number* rest = remainder_of(large, small);
        free(large);
        large = small;
        small = rest;
    }
    free(small);
    return large;
}
