// Lists in and out of the order of their objects, walked by loops of several shapes: walks go on with the
// object that they expect, and must come by each object once all the same.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next, *before;
    long value, mark;
};

static struct node* head;
static unsigned seed = 1;

static unsigned below(unsigned limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

static struct node* make(long value) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){NULL, NULL, value, 0};
    return made;
}

__attribute__((noinline)) static long sum(void) {
    long all = 0;
    for (struct node* at = head; at != NULL; at = at->next) all = all * 3 + at->value;
    return all;
}

/// Two ways out, and what is found is used behind the loop.
__attribute__((noinline)) static struct node* find(long value) {
    struct node* at = head;
    while (at != NULL && at->value != value) at = at->next;
    return at;
}

/// The object before is carried along.
__attribute__((noinline)) static long falls(void) {
    long count = 0;
    struct node* last = head;
    for (struct node* at = head; at != NULL; at = at->next) {
        count += at->value < last->value;
        last = at;
    }
    return count;
}

/// Links change behind the walk.
__attribute__((noinline)) static void reverse(void) {
    struct node* turned = NULL;
    for (struct node *at = head, *next; at != NULL; at = next) {
        next = at->next;
        at->next = turned;
        at->before = next;
        turned = at;
    }
    head = turned;
}

/// Objects go while it walks, all but the first.
__attribute__((noinline)) static void remove_multiples(long of) {
    struct node* kept = head;
    for (struct node *at = head->next, *next; at != NULL; at = next) {
        next = at->next;
        if (at->value % of != 0) {
            kept = at;
        } else {
            kept->next = next;
            free(at);
        }
    }
}

/// To the end and back; the ring is closed meanwhile, so that no null ends the second walk.
__attribute__((noinline)) static long around(void) {
    struct node* last = head;
    while (last->next != NULL) last = last->next;
    last->next = head;
    long all = 0;
    struct node* at = head;
    do {
        all = all * 5 + at->value;
        at->mark += all;
        at = at->next;
    } while (at != head);
    last->next = NULL;
    return all;
}

static void tell(const char* order) {
    struct node* found = find(7);
    printf("%s: %ld %ld %ld %ld\n", order, sum(), falls(), around(), found != NULL ? found->mark : -1);
}

static void link(struct node** nodes, int count) {
    for (int i = 0; i < count; ++i) nodes[i]->next = i + 1 < count ? nodes[i + 1] : NULL;
    head = nodes[0];
}

int main(void) {
    enum { count = 3000 };
    struct node** nodes = malloc(count * sizeof *nodes);
    for (int i = 0; i < count; ++i) nodes[i] = make(i);
    link(nodes, count);
    tell("in order");
    reverse();
    tell("backwards");
    for (int i = 0; i < 20; ++i) {
        const unsigned one = below(count), other = below(count);
        struct node* kept = nodes[one];
        nodes[one] = nodes[other];
        nodes[other] = kept;
    }
    link(nodes, count);
    tell("nearly in order");
    for (int length = 1; length < 20; ++length) {
        link(nodes + length * 20, length);
        tell("short");
    }
    for (int i = count - 1; i > 0; --i) {
        const unsigned other = below((unsigned)i + 1);
        struct node* kept = nodes[i];
        nodes[i] = nodes[other];
        nodes[other] = kept;
    }
    link(nodes, count);
    for (int i = 0; i < 5; ++i) tell("shuffled");
    remove_multiples(3);
    tell("without some");
    remove_multiples(2);
    tell("without more");
    remove_multiples(1);
    free(nodes);
    return 0;
}
