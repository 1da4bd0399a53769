struct node {
    struct node* next;
    long value;
    int mark;
};

struct node* head;

void change(struct node* node) {
    node->mark += (int)node->value * 3;
}
