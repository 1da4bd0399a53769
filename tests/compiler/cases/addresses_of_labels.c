// Addresses of labels in a table. The code that is kept as it was has others.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>
struct node {
    struct node* next;
    long value, weight;
    int mark;
};
static struct node *one, *other;
__attribute__((noinline)) static void push(struct node** head, long v) {
    struct node* n = malloc(sizeof *n);
    *n = (struct node){*head, v, 2 * v, (int)v * 3};
    *head = n;
}
__attribute__((noinline)) static unsigned long walk(struct node* n, const unsigned char* code) {
    static const void* const table[] = {&&done, &&value, &&weight, &&next};
    unsigned long s = 0;
    goto* table[*code];
value:
    s = s * 31 + (unsigned long)n->value;
    goto* table[*++code];
weight:
    s = s * 31 + (unsigned long)n->weight;
    goto* table[*++code];
next:
    n = n->next;
    goto* table[*++code];
done:
    return s;
}
int main(int argc, char** argv) {
    (void)argv;
    for (int i = 0; i < 20; ++i) {
        push(&one, i);
        push(&other, 2 * i);
    }
    unsigned char code[] = {1, 2, 3, 3, 1, 3, 2, 0};
    code[0] = (unsigned char)(argc > 5 ? 2 : 1);
    printf("%lu %lu\n", walk(one, code), walk(other, code));
}
