// A network: nodes and arcs in an array each, whose elements lead to each other.
// proves: 56 split
// proves: 48 split
#include <stdio.h>
#include <stdlib.h>

struct arc;

struct node {
    struct node *parent, *child, *sibling;
    struct arc* basic;
    long potential, depth;
    int mark;
};

struct arc {
    struct node *tail, *head;
    struct arc* next;
    long cost, flow;
    int state;
};

static volatile int nodes_wanted = 200, arcs_wanted = 900;
static struct node *nodes, *end_of_nodes;
static struct arc *arcs, *end_of_arcs;

__attribute__((noinline)) static void refresh(void) {
    for (struct node* node = nodes + 1; node < end_of_nodes; ++node) {
        node->potential = node->parent->potential + (node->basic != NULL ? node->basic->cost : -1);
        node->depth = node->parent->depth + 1;
    }
}

__attribute__((noinline)) static struct arc* cheapest(void) {
    struct arc* found = NULL;
    for (struct arc* arc = arcs; arc != end_of_arcs; ++arc) {
        const long reduced = arc->cost - arc->tail->potential + arc->head->potential;
        if (arc->state >= 0 && reduced < 0 && (found == NULL || arc->cost < found->cost)) {
            found = arc;
        }
    }
    return found;
}

int main(void) {
    const int count = nodes_wanted, arc_count = arcs_wanted;
    nodes = calloc((size_t)count, sizeof *nodes);
    arcs = calloc((size_t)arc_count, sizeof *arcs);
    end_of_nodes = nodes + count;
    end_of_arcs = arcs + arc_count;
    for (int i = 1; i < count; ++i) {
        nodes[i].parent = &nodes[i * 5 / 8];
        nodes[i].sibling = nodes[i].parent->child;
        nodes[i].parent->child = &nodes[i];
    }
    for (int i = 0; i < arc_count; ++i) {
        struct arc* arc = &arcs[i];
        arc->tail = &nodes[i * 17 % count];
        arc->head = &nodes[i * 31 % count];
        arc->cost = i * 7 % 101 - 50;
        arc->next = arc->tail->basic;
        arc->tail->basic = arc;
    }
    long sum = 0;
    for (int round = 0; round < 30; ++round) {
        refresh();
        struct arc* arc = cheapest();
        if (arc == NULL) {
            break;
        }
        arc->flow += round;
        arc->state = -1;
        arc->head->basic = arc->next != NULL ? arc->next : arc;
        arc->tail->mark += 1;
        sum = sum * 31 + arc->cost + arc->tail->depth + arc->head->potential;
    }
    for (struct node* node = nodes->child; node != NULL; node = node->child ? node->child : node->sibling) {
        sum = sum * 31 + node->mark + node->potential + (node->basic ? node->basic->flow : 0);
    }
    free(nodes);
    free(arcs);
    printf("%ld\n", sum);
    return 0;
}
