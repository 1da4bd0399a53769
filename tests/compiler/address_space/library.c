/* A library with a list and with arrays of structures. What it does gives the same number each time; what it
 * keeps, it keeps when it is closed. */
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    double weight;
    int kind;
};

struct row {
    long key;
    double x;
    int tag;
};

static struct node* kept;
static struct row* kept_rows;

static struct node* list_of(long count) {
    struct node* first = NULL;
    for (long i = 0; i < count; ++i) {
        struct node* node = malloc(sizeof(struct node));
        if (node == NULL) abort();
        node->next = first;
        node->value = i;
        node->weight = (double)i;
        node->kind = 1;
        first = node;
    }
    return first;
}

static long sum_and_free(struct node* first) {
    long sum = 0;
    while (first != NULL) {
        struct node* next = first->next;
        sum += first->value + (long)first->weight + first->kind;
        free(first);
        first = next;
    }
    return sum;
}

static struct row* rows_of(long count) {
    struct row* rows = malloc((size_t)count * sizeof(struct row));
    if (rows == NULL) abort();
    for (long i = 0; i < count; ++i) {
        rows[i].key = i;
        rows[i].x = 2;
        rows[i].tag = 3;
    }
    return rows;
}

long work(long count) {
    struct row* rows = rows_of(count);
    long sum = sum_and_free(list_of(count));
    for (long i = 0; i < count; ++i) sum += rows[i].key + (long)rows[i].x + rows[i].tag;
    free(rows);
    return sum;
}

long keep(long count) {
    kept = list_of(count);
    kept_rows = rows_of(count);
    return kept->value + kept_rows[count - 1].key;
}
