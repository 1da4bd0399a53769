// Memory with a head before the object, which is released by a pointer that leads back.
// proves: 40 split
// graph: head is global
// graph: node is heap 40
// graph: head+0 -> node+16
// graph: node+16 -> node+16
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static struct node* request(void) {
    long* raw = malloc(16 + sizeof(struct node));
    raw[0] = 77;
    return (struct node*)((char*)raw + 16);
}

static long release(struct node* node) {
    long* raw = (long*)((char*)node - 16);
    long found = raw[0];
    free(raw);
    return found;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = request();
        node->next = head;
        node->value = i;
        node->mark = 2 * i;
        head = node;
    }
    long sum = 0;
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        sum = sum * 31 + node->value + node->mark;
        sum += release(node);
    }
    printf("%ld\n", sum);
    return 0;
}
