/* Knows the program's node by its own declaration of it, and the program's names by the dynamic linker. */
struct node {
    struct node* next;
    long value;
    long unused[6];
};

extern struct node* first;
long by_name(struct node*);

long walk(void) {
    long sum = 0;
    for (struct node* at = first; at != 0; at = at->next) sum += by_name(at) + at->unused[0];
    return sum;
}
