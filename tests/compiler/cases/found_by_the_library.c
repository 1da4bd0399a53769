// A place that the C library gives, and gives again: what was stored there is found later.
// shows: comes_from_unseen_code
// proves: 24 no  reason: other code sees
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;
static char keys[20][4];

int main(void) {
    if (hcreate(64) == 0) {
        return 1;
    }
    for (int i = 0; i < 20; ++i) {
        keys[i][0] = (char)('a' + i);
        ENTRY asked = {.key = keys[i], .data = NULL};
        ENTRY* entry = hsearch(asked, ENTER);
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 3};
        head = node;
        entry->data = node;
    }
    long sum = 0;
    for (int i = 0; i < 20; i += 3) {
        ENTRY asked = {.key = keys[i], .data = NULL};
        struct node* found = hsearch(asked, FIND)->data;
        found->mark += 5;
        sum = sum * 31 + found->value;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    hdestroy();
    printf("%ld\n", sum);
    return 0;
}
