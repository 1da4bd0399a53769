// From a field back to its object.
// proves: 32 split
// graph: head is global
// graph: node is heap 32
// graph: head+0 -> node+8
// graph: node+8 -> node+8
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
    struct link* next;
};

struct node {
    int a;
    char b;
    struct link link;
    long c;
    short d;
};

static struct link* head;

__attribute__((noinline)) static struct node* node_of(struct link* link) {
    return (struct node*)((char*)link - offsetof(struct node, link));
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->a = i;
        node->b = (char)i;
        node->c = 3 * i;
        node->d = (short)(4 * i);
        node->link.next = head;
        head = &node->link;
    }
    long sum = 0;
    for (struct link* link = head; link != NULL; link = link->next) {
        struct node* node = node_of(link);
        sum = sum * 31 + node->a + node->b + node->c + node->d;
    }
    for (struct link* link = head; link != NULL;) {
        struct link* next = link->next;
        free(node_of(link));
        link = next;
    }
    printf("%ld\n", sum);
    return 0;
}
