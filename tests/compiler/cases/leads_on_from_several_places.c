// A pointer to one part of an object or another, from which it goes on to a member of that.
// shows: leads_on_from_several
// proves: 48 pool  reason: a pointer to several places of it leads on
#include <stdio.h>
#include <stdlib.h>

struct part {
    long one;
    long other;
};

struct node {
    struct node* next;
    struct part first;
    int mark;
    struct part second;
};

static struct node* head;

__attribute__((noinline)) static long turn(struct part* part) {
    const long one = part->one;
    part->one = part->other;
    part->other = one + 1;
    return one;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->first.one = i;
        node->first.other = 2 * i;
        node->second.one = 3 * i;
        node->second.other = 4 * i;
        node->mark = i;
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + turn(node->mark % 3 == 0 ? &node->first : &node->second);
        sum += node->first.one * 3 + node->first.other * 5 + node->second.one * 7 + node->second.other;
    }
    printf("%ld\n", sum);
    return 0;
}
