// Two parts of an object, of two numbers each, of which one or the other is copied.
// shows: copied_from_several
// proves: 48 pool  reason: is copied by a pointer to several places of it
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    long one, other;
};

struct node {
    struct node* next;
    struct part first;
    int mark;
    struct part second;
};

static struct node* head;
static struct part kept;

__attribute__((noinline)) static void keep(const struct part* part) {
    memcpy(&kept, part, sizeof kept);
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
        keep(node->mark % 3 == 0 ? &node->first : &node->second);
        sum = sum * 31 + kept.one + 7 * kept.other + node->first.other;
    }
    printf("%ld\n", sum);
    return 0;
}
