// Inserting into a search tree: a store to one field or another, as an index chooses.
// proves: 40 split
// graph: node is heap 40
// graph: node+0 -> node+0
// graph: node+8 -> node+0
#include <stdio.h>
#include <stdlib.h>
struct node {
    struct node *left, *right;
    long key;
    int value;
    char tag;
    double weight;
};
static struct node* insert(struct node* root, long key) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){0, 0, key, (int)key * 3, (char)key, key * 0.5};
    if (!root) return made;
    for (struct node* at = root;;) {
        struct node* next = key < at->key ? at->left : at->right;
        if (!next) {
            if (key < at->key)
                at->left = made;
            else
                at->right = made;
            return root;
        }
        at = next;
    }
}
static struct node** find(struct node* at, long key, struct node** none) {
    struct node** link = none;
    while (at) {
        struct node** next = key < at->key ? &at->left : &at->right;
        link = next;
        at = *next;
    }
    return link;
}
static double sum(struct node* at) {
    return at ? at->weight + at->value + sum(at->left) + sum(at->right) : 0;
}
static void drop(struct node* at) {
    if (at) {
        drop(at->left);
        drop(at->right);
        free(at);
    }
}
int main(int argc, char** argv) {
    struct node* root = 0;
    unsigned s = 1;
    for (int i = 0; i < 5000; ++i) {
        s = s * 1103515245u + 12345u;
        root = insert(root, s >> 8);
    }
    struct node* none = 0;
    (void)none;
    printf("%f %d\n", sum(root), *find(root, 77, &root->left) == 0);
    drop(root);
    return 0;
}
