// Cells of lists, whose heads lie in another structure, lead to elements as large as they: both share pools.
// proves: 40 pool  reason: its objects differ in size
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct element {
    int weight, visits;
    double value;
    struct owner* owner;
};

struct cell {
    struct cell *next, *before;
    struct element* element;
};

struct owner {
    long number;
    struct cell head;
    struct owner* next;
};

static void add(struct cell* head, struct element* element) {
    struct cell* last = head;
    while (last->next != NULL) last = last->next;
    struct cell* made = malloc(sizeof *made);
    *made = (struct cell){NULL, last, element};
    last->next = made;
}

static void take_out(struct cell* cell) {
    cell->before->next = cell->next;
    if (cell->next != NULL) cell->next->before = cell->before;
    free(cell);
}

static struct element* make(struct owner* owner, int weight) {
    struct element* made = malloc(sizeof *made);
    *made = (struct element){weight, 0, weight * 0.5, owner};
    return made;
}

static double visit(struct owner* owner) {
    double sum = 0;
    for (struct cell *at = owner->head.next, *next; at != NULL; at = next) {
        next = at->next;
        struct element* element = at->element;
        ++element->visits;
        sum += element->value;
        if (element->visits % 5 == element->weight % 5) {
            take_out(at);
            add(&element->owner->head, element);
        } else if (element->visits > 17) {
            take_out(at);
            free(element);
        }
    }
    return sum;
}

int main(void) {
    struct owner* owners = NULL;
    for (int i = 0; i < 20; ++i) {
        struct owner* made = malloc(sizeof *made);
        *made = (struct owner){i, {NULL, NULL, NULL}, owners};
        owners = made;
    }
    for (int round = 0; round < 100; ++round) {
        double sum = 0;
        for (struct owner* owner = owners; owner != NULL; owner = owner->next) {
            if ((round + owner->number) % 3 == 0) add(&owner->head, make(owner, round));
            sum += visit(owner);
        }
        printf("%d %.1f\n", round, sum);
    }
    return 0;
}
