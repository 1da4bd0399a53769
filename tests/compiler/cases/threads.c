// An object that another thread is given.
// shows: given_to_unseen_code
// proves: 24 no  reason: code that is not seen
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static void* work(void* at) {
    ((struct node*)at)->mark += 5;
    return at;
}

int main(void) {
    for (int i = 0; i < 50; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i * 37 % 50;
        node->mark = i;
        head = node;
    }
    unsigned long sum = 0;
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, work, head->next);
    pthread_join(thread, &result);
    sum = (unsigned long)((struct node*)result)->mark;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned long)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
