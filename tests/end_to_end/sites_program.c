/* Requests from several call sites: what test_rebase.py changes in its text, and how it is compiled, is told
 * there. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long key;
    long hot;
    long cold;
};

NEVER_INLINED static struct node* first_name(struct node* list, long key) {
    struct node* made = malloc(96);
    made->next = list;
    made->key = made->hot = made->cold = key;
    return made;
}

/* lines are added here */
NEVER_INLINED static struct node* unchanged(struct node* list, long key) {
    struct node* made = malloc(32);
    made->next = list;
    made->key = made->hot = made->cold = key;
    return made;
}

NEVER_INLINED static struct node* two_on_a_line(struct node* list, long key) {
    struct node *made = malloc(48), *second = malloc(64);
    made->next = second;
    second->next = list;
    made->key = made->hot = made->cold = second->key = second->hot = second->cold = key;
    return made;
}

NEVER_INLINED static struct node* edited(struct node* list, long key) {
    struct node* made = malloc(80);
    made->next = list;
    made->key = made->hot = made->cold = key;
    return made;
}

SOMETIMES_INLINED static struct node* inlined(struct node* list, long key) {
    struct node* made = malloc(112);
    made->next = list;
    made->key = made->hot = made->cold = key;
    return made;
}

NEVER_INLINED static struct node* removed(struct node* list, long key) {
    struct node* made = malloc(128);
    made->next = list;
    made->key = made->hot = made->cold = key;
    return made;
}

int main(int count, char** words) {
    const long nodes = count > 1 ? atol(words[1]) : 100;
    struct node* list = NULL;
    for (long i = 0; i < nodes; ++i) {
        list = first_name(list, i);
        list = unchanged(list, i);
        list = two_on_a_line(list, i);
        list = edited(list, i);
        list = inlined(list, i);
        list = removed(list, i);
    }
    long sum = 0;
    for (int walk = 0; walk < 20; ++walk) {
        for (const struct node* each = list; each != NULL; each = each->next) sum += each->hot;
    }
    printf("%ld\n", sum);
    return 0;
}
