// bisort SIZE [SEED]: sorts random numbers in a binary tree, first up and then down, by exchanging values and
// subtrees (Bilardi and Nicolau 1989, "Adaptive bitonic sorting").
//
// Written afresh after Olden's bisort (Rogers, Carlisle, Reppy and Hendren 1995). As there, SIZE is halved
// down to 1, each time with a level of the tree, so that there are 2^k - 1 nodes of an int and two pointers
// (24 bytes), one malloc each, and one number beside the tree; a node is made before its left and its right
// subtree; and nothing is released.
//
// Prints the number of values and a check sum of them in their order after both sorts. Ends with status 1
// where they are not sorted.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/wide_pointer.h"

enum { most_values = 1 << 26, value_range = 1 << 30 };

struct tree {
    int value;
    WIDE_POINTER struct tree* left;
    WIDE_POINTER struct tree* right;
};

static int random_value(uint64_t* seed) {
    return (int)random_below(seed, value_range);
}

static struct tree* build(long size, uint64_t* seed) {
    if (size <= 1) return NULL;
    struct tree* made = or_exit(malloc(sizeof *made));
    made->value = random_value(seed);
    made->left = build(size / 2, seed);
    made->right = build(size / 2, seed);
    return made;
}

// ---- the sort. A tree with a number after it, its spare, is a sequence of 2^k numbers.

static void exchange(int* one, int* other) {
    const int kept = *one;
    *one = *other;
    *other = kept;
}

static void exchange_trees(struct tree** one, struct tree** other) {
    struct tree* const kept = *one;
    *one = *other;
    *other = kept;
}

/// Whether the two stand the wrong way round.
static bool is_wrong(int first, int second, bool down) {
    return (first > second) != down;
}

/// Down both halves of a bitonic sequence beside each other: exchanges the part of one half that belongs into
/// the other. `above` says whether that is what lies before the place or what lies behind it.
static void exchange_halves(struct tree* root, bool above, bool down) {
    struct tree *left = root->left, *right = root->right;
    while (left != NULL) {
        const bool wrong = is_wrong(left->value, right->value, down);
        if (wrong) {
            exchange(&left->value, &right->value);
            if (above) {
                exchange_trees(&left->right, &right->right);
            } else {
                exchange_trees(&left->left, &right->left);
            }
        }
        const bool goes_left = wrong == above;
        left = goes_left ? left->left : left->right;
        right = goes_left ? right->left : right->right;
    }
}

/// Sorts a bitonic sequence.
static void merge(struct tree* root, int* spare, bool down) {
    const bool above = is_wrong(root->value, *spare, down);
    if (above) exchange(&root->value, spare);
    exchange_halves(root, above, down);
    if (root->left == NULL) return;
    merge(root->left, &root->value, down);
    merge(root->right, spare, down);
}

static void sort(struct tree* root, int* spare, bool down) {
    if (root->left == NULL) {
        if (is_wrong(root->value, *spare, down)) exchange(&root->value, spare);
        return;
    }
    sort(root->left, &root->value, down);
    sort(root->right, spare, !down);
    merge(root, spare, down);
}

// ---- what comes out

struct order {
    int last;
    bool down, is_right;
    uint32_t values, sum;
};

/// Equal ones stand right in either order.
static void take(struct order* order, int value) {
    const bool is_equal = order->last == value;
    if (order->values++ > 0 && !is_equal && is_wrong(order->last, value, order->down))
        order->is_right = false;
    order->last = value;
    order->sum = (order->sum ^ (uint32_t)value) * UINT32_C(16777619);
}

static void take_all(struct order* order, const struct tree* root) {
    if (root == NULL) return;
    take_all(order, root->left);
    take(order, root->value);
    take_all(order, root->right);
}

/// Sorts them, and looks at all of them.
static struct order sorted(struct tree* root, int* spare, bool down, uint32_t sum) {
    sort(root, spare, down);
    struct order order = {.down = down, .is_right = true, .sum = sum};
    take_all(&order, root);
    take(&order, *spare);
    return order;
}

int main(int count, char** arguments) {
    const long size = count == 2 || count == 3 ? atol(arguments[1]) : 0;
    const unsigned long given = count == 3 ? strtoul(arguments[2], NULL, 10) : 1;
    if (size < 2 || size > most_values) {
        fprintf(stderr, "usage: bisort SIZE [SEED] (from 2, at most %d)\n", most_values);
        return 2;
    }
    uint64_t seed = random_begin(given);
    struct tree* const root = build(size, &seed);
    int spare = random_value(&seed);
    const struct order up = sorted(root, &spare, false, UINT32_C(2166136261));
    const struct order down = sorted(root, &spare, true, up.sum);
    printf("values %lu sum %08lx\n", (unsigned long)down.values, (unsigned long)down.sum);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): nothing frees the tree in the original either.
    return up.is_right && down.is_right ? 0 : 1;
}
