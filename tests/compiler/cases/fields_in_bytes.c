// An object whose bytes are read one by one.
// proves: 16 no
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    int number;
    short small;
};

static struct node* head;

__attribute__((noinline)) static void copy(unsigned char* to, const unsigned char* from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        to[i] = from[i];
        __asm__ volatile("" : : : "memory");
    }
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = calloc(1, sizeof *node);
        struct node made;
        memset(&made, 0, sizeof made);
        made.next = head;
        made.number = i;
        made.small = (short)i;
        copy((unsigned char*)node, (unsigned char*)&made, sizeof made);
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->number + node->small;
    }
    printf("%ld\n", sum);
    return 0;
}
