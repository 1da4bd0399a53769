// Two structures, so that a choice can have a policy for each.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value, unused, never;
};

struct item {
    struct item* before;
    long weight, price;
    long name[3];
};

static struct node* make_node(struct node* next, long value) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){next, value, value + 1, value + 2};
    return made;
}

static struct item* make_item(struct item* before, long weight) {
    struct item* made = malloc(sizeof *made);
    *made = (struct item){before, weight, weight * 2, {weight, 1, 2}};
    return made;
}

static long sum_of_nodes(const struct node* list) {
    long sum = 0;
    for (; list != NULL; list = list->next) sum += list->value;
    return sum;
}

static long sum_of_items(const struct item* list) {
    long sum = 0;
    for (; list != NULL; list = list->before) sum += list->weight * list->price;
    return sum;
}

int main(int count, char** words) {
    const long many = count > 1 ? atol(words[1]) : 1000, passes = count > 2 ? atol(words[2]) : 20;
    struct node* nodes = NULL;
    struct item* items = NULL;
    for (long i = 0; i < many; ++i) {
        nodes = make_node(nodes, i);
        items = make_item(items, i);
    }
    unsigned long sum = 0;
    for (long pass = 0; pass < passes; ++pass) {
        sum = sum * 3 + (unsigned long)(sum_of_nodes(nodes) + sum_of_items(items));
    }
    for (struct item* item = items; item != NULL; item = item->before) sum += (unsigned long)item->name[1];
    for (struct node* node = nodes; node != NULL; node = node->next) sum ^= (unsigned long)node->unused;
    while (nodes != NULL) {
        struct node* next = nodes->next;
        free(nodes);
        nodes = next;
    }
    while (items != NULL) {
        struct item* before = items->before;
        free(items);
        items = before;
    }
    printf("%lu\n", sum);
    return 0;
}
