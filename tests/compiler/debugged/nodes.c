// What a debugger is asked about: the nodes of a list, which are split; a variable of the same type, which is
// not; a pointer to a field; a structure that leads to nodes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
};

struct node {
    struct node* next;
    long value;
    int key;
    short small;
    struct point at;
    double weight;
    char letters[8];
    long never;
};

struct table {
    long count;
    struct node* first;
    struct node* by_key[4];
};

static struct node whole = {NULL, 7, 8, 9, {10, 11}, 0.5, "whole", 12};
static struct table table;
static long sum;

static void look(struct node* node, const struct node* other, const long* inside) {
    sum += node->value + other->value + *inside; /* stop here */
    sum += other->key + node->at.y;
}

// Nobody puts the function into its caller, or gives it less than its arguments.
static void (*volatile look_at)(struct node*, const struct node*, const long*) = look;

static void step(long value) {
    sum += value; /* in a step */
}

static void (*volatile step_at)(long) = step;

// Part of its caller, in two places.
static inline long walk(const struct node* node) {
    long keys = 0;
    for (; node != NULL; node = node->next) {
        step_at(node->value);
        keys += node->key;
    }
    return keys;
}

static void look_again(long value) {
    sum += value; /* in either */
}

static void (*volatile look_again_at)(long) = look_again;

// The same, of which one is of a node that is not split.
static inline long either(const struct node* some) {
    look_again_at(some->value);
    return some->key + some->at.x;
}

static struct node* push(struct node* next, int i) {
    struct node* made = malloc(sizeof *made);
    made->next = next;
    made->value = i * 3;
    made->key = i + 1;
    made->small = (short)(i + 2);
    made->at.x = i + 3;
    made->at.y = i + 4;
    made->weight = i + 0.5;
    memcpy(made->letters, i % 2 == 0 ? "even one" : "odd one", sizeof made->letters);
    return made;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        table.first = push(table.first, i);
        table.by_key[i & 3] = table.first;
        ++table.count;
    }
    look_at(table.first, &whole, &table.first->next->value);
    for (const struct node* node = table.first; node != NULL; node = node->next) {
        long letters = 0;
        memcpy(&letters, node->letters, sizeof letters);
        sum = sum * 31 + node->value + node->key + node->small;
        sum = sum * 31 + node->at.x + node->at.y + (long)node->weight + letters;
    }
    sum += walk(table.first) + walk(table.by_key[1]);
    sum += either(&whole) % 2 + either(table.by_key[1]) % 2;
    printf("%ld %ld\n", sum, table.by_key[sum & 3]->value);
    return 0;
}
