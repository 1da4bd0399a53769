// Objects whose second half is one of three structures, as a tag says; links lie there as well.
// proves: 40 no  reason: is put together from parts
#include <stdio.h>
#include <stdlib.h>

struct node {
    int kind;
    struct node* next;
    union {
        struct {
            double width, height;
        } box;
        struct {
            int red, green, blue;
        } colour;
        struct {
            struct node *left, *right;
        } pair;
    } of;
    long count;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 99; ++i) {
        struct node* node = calloc(1, sizeof *node);
        node->kind = i % 3;
        node->next = head;
        node->count = i;
        if (node->kind == 0) {
            node->of.box.width = i * 0.5;
            node->of.box.height = i * 2.0;
        } else if (node->kind == 1) {
            node->of.colour.red = i;
            node->of.colour.green = 2 * i;
            node->of.colour.blue = 3 * i;
        } else {
            node->of.pair.left = head;
            node->of.pair.right = head->next;
        }
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        if (node->kind == 0) {
            sum = sum * 31 + (long)(node->of.box.width * node->of.box.height);
        } else if (node->kind == 1) {
            sum = sum * 31 + node->of.colour.red + node->of.colour.green * 3 + node->of.colour.blue * 5;
        } else {
            sum = sum * 31 + node->of.pair.left->count + node->of.pair.right->count;
        }
        sum += node->count;
    }
    printf("%ld\n", sum);
    return 0;
}
