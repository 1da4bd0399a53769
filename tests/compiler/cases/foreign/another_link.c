// Of another compiler, for another_link.c.
struct node {
    struct node* next;
    long value;
};
struct list {
    struct node* first;
    long count;
};

int link(struct list* list, struct node* node) {
    node->next = list->first;
    list->first = node;
    ++list->count;
    return 0;
}
