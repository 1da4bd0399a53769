// Two pairs of fields, one of which is read in each other node: never one of each.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long left, right;
    long top, bottom;
    long name, number, note;
};

static struct node* make(struct node* next, long i) {
    struct node* made = malloc(sizeof *made);
    *made = (struct node){next, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6};
    return made;
}

static long sum_of(const struct node* list) {
    long sum = 0;
    for (long i = 0; list != NULL; list = list->next, ++i) {
        if (i % 2 == 0) {
            sum += list->left * list->right;
        } else {
            sum += list->top * list->bottom;
        }
    }
    return sum;
}

int main(int count, char** words) {
    const long nodes = count > 1 ? atol(words[1]) : 1000, passes = count > 2 ? atol(words[2]) : 20;
    struct node* list = NULL;
    for (long i = 0; i < nodes; ++i) list = make(list, i);
    unsigned long sum = 0;
    for (long pass = 0; pass < passes; ++pass) sum = sum * 3 + (unsigned long)sum_of(list);
    for (struct node* node = list; node != NULL; node = node->next) {
        sum += (unsigned long)(node->name ^ node->number ^ node->note);
    }
    while (list != NULL) {
        struct node* next = list->next;
        free(list);
        list = next;
    }
    printf("%lu\n", sum);
    return 0;
}
