// Objects that code of another compiler makes, gets, keeps and gives back; and some that it never sees.
// beside: foreign/foreign_code.c
// proves: 32 no  reason: code that is not seen
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

struct own {
    struct own* next;
    long value;
    int mark;
};

struct node* foreign_node(long value);
void foreign_keep(struct node* node);
struct node* foreign_kept(void);
void foreign_release(struct node* node);

static struct node* head;
static struct own* own;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = i % 3 == 0 ? foreign_node(i) : malloc(sizeof *node);
        *node = (struct node){head, i, i * 2, i * 3};
        head = node;
        struct own* made = malloc(sizeof *made);
        *made = (struct own){own, i * 5, i};
        own = made;
    }
    foreign_keep(head->next);
    long sum = foreign_kept()->mark;
    foreign_kept()->weight = 1000;
    for (struct own* each = own; each != NULL; each = each->next) {
        sum = sum * 31 + each->value + each->mark;
    }
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        sum = sum * 31 + node->value + node->mark + node->weight;
        if (node->value % 2 == 0) {
            foreign_release(node);
        } else {
            free(node);
        }
    }
    printf("%ld\n", sum);
    return 0;
}
