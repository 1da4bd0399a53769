struct node;
struct node* push(struct node* head, long value);
long sum_of(const struct node* head);
void release(struct node* head);
