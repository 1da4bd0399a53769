#include "workloads/continued_fraction/expansion.h"

#include <stdlib.h>

/// Newton's method, from above.
struct number* square_root_of(const struct number* number) {
    struct number *root = copy_of(number), *next = half_of(number);
    if (is_zero(next)) next = in_place_of(next, copy_of(number));
    while (compare(next, root) < 0) {
        root = in_place_of(root, next);
        struct number* quotient = quotient_of(number, root);
        struct number* sum = sum_of(root, quotient);
        next = half_of(sum);
        free(quotient);
        free(sum);
    }
    free(next);
    return root;
}

struct expansion expansion_of(const struct number* number, digit multiplier) {
    struct number* factor = number_of(multiplier);
    struct number* radicand = product_of(number, factor);
    free(factor);
    struct number* root = square_root_of(radicand);
    return (struct expansion){.number = copy_of(number),
                              .radicand = radicand,
                              .root = root,
                              .offset = number_of(0),
                              .complete = number_of(1),
                              .term = copy_of(root),
                              .earlier = number_of(0),
                              .numerator = number_of(1)};
}

static void next_numerator(struct expansion* expansion) {
    struct number* product = product_of(expansion->term, expansion->numerator);
    struct number* sum = sum_of(product, expansion->earlier);
    free(product);
    free(expansion->earlier);
    expansion->earlier = expansion->numerator;
    expansion->numerator = in_place_of(sum, remainder_of(sum, expansion->number));
}

static void next_complete(struct expansion* expansion) {
    struct number* product = product_of(expansion->term, expansion->complete);
    struct number* offset = difference_of(product, expansion->offset);
    struct number* square = square_of(offset);
    struct number* rest = difference_of(expansion->radicand, square);
    free(product);
    free(square);
    expansion->offset = in_place_of(expansion->offset, offset);
    expansion->complete = in_place_of(expansion->complete, quotient_of(rest, expansion->complete));
    free(rest);
}

void expansion_step(struct expansion* expansion) {
    next_numerator(expansion);
    next_complete(expansion);
    struct number* sum = sum_of(expansion->root, expansion->offset);
    expansion->term = in_place_of(expansion->term, quotient_of(sum, expansion->complete));
    free(sum);
    ++expansion->steps;
}

void release_expansion(struct expansion* expansion) {
    free(expansion->number);
    free(expansion->radicand);
    free(expansion->root);
    free(expansion->offset);
    free(expansion->complete);
    free(expansion->term);
    free(expansion->earlier);
    free(expansion->numerator);
}
