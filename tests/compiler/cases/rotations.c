// A tree with parent pointers, rotated by pointers to nodes.
// proves: 48 split
// graph: root is global
// graph: node is heap 48
// graph: root+0 -> node+0
// graph: node+0 -> node+0
// graph: node+8 -> node+0
// graph: node+16 -> node+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right, *parent;
    int key;
    long count;
    char colour;
};

static struct node* root;

__attribute__((noinline)) static struct node* rotate(struct node* top) {
    struct node* up = top->left;
    if (up == NULL) {
        return top;
    }
    top->left = up->right;
    if (top->left != NULL) {
        top->left->parent = top;
    }
    up->right = top;
    up->parent = top->parent;
    top->parent = up;
    return up;
}

static void add_left(struct node* above, struct node* node) {
    above->left = node;
    node->parent = above;
}

static long sum_of(const struct node* node) {
    return node == NULL
               ? 0
               : sum_of(node->left) * 3 + node->key + node->count + node->colour + sum_of(node->right);
}

int main(void) {
    struct node* last = NULL;
    for (int i = 0; i < 60; ++i) {
        struct node* node = calloc(1, sizeof *node);
        node->key = i;
        node->count = 2 * i;
        node->colour = (char)(i % 2);
        if (last == NULL) {
            root = node;
        } else {
            add_left(last, node);
        }
        last = node;
    }
    for (int i = 0; i < 20; ++i) {
        root = rotate(root);
        root->right->left = root->right->left == NULL ? NULL : rotate(root->right->left);
    }
    printf("%ld\n", sum_of(root));
    return 0;
}
