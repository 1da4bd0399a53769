#include "workloads/factors/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

enum { digit_bits = 32 };

/// Inlined, so that each operation has a call site of its own. The digits are not set.
__attribute__((always_inline)) static inline struct number* room_for(uint32_t count) {
    struct number* made = or_exit(malloc(sizeof *made + (count == 0 ? 1 : count) * sizeof(uint32_t)));
    made->count = count;
    return made;
}

static struct number* trimmed(struct number* number) {
    while (number->count > 0 && number->digits[number->count - 1] == 0) --number->count;
    return number;
}

struct number* number_of(uint32_t value) {
    struct number* made = room_for(1);
    made->digits[0] = value;
    return trimmed(made);
}

struct number* copy_of(const struct number* number) {
    struct number* made = room_for(number->count);
    memcpy(made->digits, number->digits, number->count * sizeof(uint32_t));
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

/// number * 10 + digit.
static struct number* with_decimal(const struct number* number, uint32_t digit) {
    struct number* made = room_for(number->count + 1);
    uint64_t carry = digit;
    for (uint32_t i = 0; i < number->count; ++i) {
        carry += number->digits[i] * UINT64_C(10);
        made->digits[i] = (uint32_t)carry;
        carry >>= digit_bits;
    }
    made->digits[number->count] = (uint32_t)carry;
    return trimmed(made);
}

struct number* number_from_text(const char* text) {
    struct number* made = number_of(0);
    for (; *text != 0; ++text) {
        if (!isdigit((unsigned char)*text)) {
            free(made);
            return NULL;
        }
        struct number* longer = with_decimal(made, (uint32_t)(*text - '0'));
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
        struct number *digit = remainder_of(rest, ten), *quotient = quotient_of(rest, ten);
        text[--at] = (char)('0' + (is_zero(digit) ? 0 : digit->digits[0]));
        free(digit);
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
    uint64_t carry = 0;
    for (uint32_t i = 0; i < longer->count; ++i) {
        carry += (uint64_t)longer->digits[i] + (i < other->count ? other->digits[i] : 0);
        made->digits[i] = (uint32_t)carry;
        carry >>= digit_bits;
    }
    made->digits[longer->count] = (uint32_t)carry;
    return trimmed(made);
}

struct number* difference_of(const struct number* a, const struct number* b) {
    struct number* made = room_for(a->count);
    int64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        borrow += (int64_t)a->digits[i] - (i < b->count ? b->digits[i] : 0);
        made->digits[i] = (uint32_t)borrow;
        borrow >>= digit_bits;
    }
    return trimmed(made);
}

static void multiply(uint32_t* into, const struct number* a, const struct number* b) {
    memset(into, 0, (a->count + b->count) * sizeof *into);
    for (uint32_t i = 0; i < a->count; ++i) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < b->count; ++j) {
            carry += (uint64_t)a->digits[i] * b->digits[j] + into[i + j];
            into[i + j] = (uint32_t)carry;
            carry >>= digit_bits;
        }
        into[i + b->count] = (uint32_t)carry;
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
        const uint32_t above = i + 1 < a->count ? a->digits[i + 1] : 0;
        made->digits[i] = a->digits[i] >> 1 | above << (digit_bits - 1);
    }
    return trimmed(made);
}

// ---- division: Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D

static void shift_up(uint32_t* into, const struct number* from, unsigned bits) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        carry |= (uint64_t)from->digits[i] << bits;
        into[i] = (uint32_t)carry;
        carry >>= digit_bits;
    }
    into[from->count] = (uint32_t)carry;
}

static uint32_t estimate(const uint32_t* top, const uint32_t* divisor, uint32_t count) {
    const uint64_t two = (uint64_t)top[0] << digit_bits | top[-1];
    uint64_t guess = two / divisor[count - 1], rest = two % divisor[count - 1];
    while (guess >> digit_bits != 0 ||
           (count > 1 && guess * divisor[count - 2] > (rest << digit_bits | top[-2]))) {
        --guess;
        rest += divisor[count - 1];
        if (rest >> digit_bits != 0) break;
    }
    return (uint32_t)guess;
}

/// Subtracts guess times the divisor; gives the guess, or one less where that was too much.
static uint32_t take_off(uint32_t* rest, const uint32_t* divisor, uint32_t count, uint32_t guess) {
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (uint32_t i = 0; i <= count; ++i) {
        carry += i < count ? (uint64_t)guess * divisor[i] : 0;
        borrow += (int64_t)rest[i] - (uint32_t)carry;
        rest[i] = (uint32_t)borrow;
        borrow >>= digit_bits;
        carry >>= digit_bits;
    }
    if (borrow == 0) return guess;
    carry = 0;
    for (uint32_t i = 0; i <= count; ++i) {
        carry += (uint64_t)rest[i] + (i < count ? divisor[i] : 0);
        rest[i] = (uint32_t)carry;
        carry >>= digit_bits;
    }
    return guess - 1;
}

/// `rest` has the dividend and becomes the remainder, both shifted as the divisor; `quotient` may be NULL.
static void divide(uint32_t* rest, uint32_t rest_count, const uint32_t* divisor, uint32_t count,
                   uint32_t* quotient) {
    for (uint32_t i = rest_count - count; i-- > 0;) {
        uint32_t digit = estimate(rest + i + count, divisor, count);
        digit = take_off(rest + i, divisor, count, digit);
        if (quotient != NULL) quotient[i] = digit;
    }
}

struct number* quotient_of(const struct number* a, const struct number* by) {
    if (compare(a, by) < 0) return number_of(0);
    const unsigned bits = (unsigned)__builtin_clz(by->digits[by->count - 1]);
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
    const unsigned bits = (unsigned)__builtin_clz(by->digits[by->count - 1]);
    struct number *rest = room_for(a->count + 1), *divisor = room_for(by->count + 1);
    struct number* made = room_for(by->count);
    shift_up(rest->digits, a, bits);
    shift_up(divisor->digits, by, bits);
    divide(rest->digits, rest->count, divisor->digits, by->count, NULL);
    for (uint32_t i = 0; i < by->count; ++i) {
        const uint64_t two = (uint64_t)rest->digits[i + 1] << digit_bits | rest->digits[i];
        made->digits[i] = (uint32_t)(two >> bits);
    }
    free(rest);
    free(divisor);
    return trimmed(made);
}
