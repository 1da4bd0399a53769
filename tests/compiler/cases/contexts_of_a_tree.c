// A recursive function builds two trees, of which code that is not seen gets one: the other is proven, as the
// function is cloned for it.
// proves: 40 split
// proves: 40 pool reason: is given to a function of a library
// graph: one is heap 40
// graph: other is heap 40, exposed
// graph: one+0 -> one+0
// graph: one+8 -> one+0
// graph: other+0 -> other+0
// graph: other+8 -> other+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    long key, value, uses;
};

__attribute__((noinline)) static struct node* insert(struct node* tree, long key) {
    if (tree == NULL) {
        struct node* made = malloc(sizeof *made);
        *made = (struct node){NULL, NULL, key, 3 * key, 0};
        return made;
    }
    if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else if (key > tree->key) {
        tree->right = insert(tree->right, key);
    }
    tree->uses += 1;
    return tree;
}

__attribute__((noinline)) static long sum(const struct node* tree) {
    return tree == NULL ? 0 : tree->value + 7 * sum(tree->left) + 11 * sum(tree->right) + tree->uses;
}

__attribute__((noinline)) static void release(struct node* tree) {
    if (tree != NULL) {
        release(tree->left);
        release(tree->right);
        free(tree);
    }
}

int main(void) {
    struct node *known = NULL, *shown = NULL;
    for (long i = 0; i < 300; ++i) {
        known = insert(known, i * 97 % 311);
        shown = insert(shown, i * 89 % 313);
    }
    char text[40];
    snprintf(text, sizeof text, "%p", (void*)shown->left);
    printf("%ld %ld %d\n", sum(known), sum(shown), text[0] != 0);
    release(known);
    release(shown);
    return 0;
}
