// Two threads that each write a field of their own of the same objects, which they find by a variable: split,
// such fields of different objects would lie in one line.
// options: -pthread
// shows: written_by_threads
// proves: 32 pool  reason: may be written by several threads
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long first, second;
    int mark;
};

static struct node* head;

static void* count_first(void* times) {
    for (int i = 0; i < *(int*)times; ++i) {
        for (struct node* node = head; node != NULL; node = node->next) {
            node->first += node->mark;
        }
    }
    return NULL;
}

static void* count_second(void* times) {
    for (int i = 0; i < *(int*)times; ++i) {
        for (struct node* node = head; node != NULL; node = node->next) {
            node->second += node->mark * 2;
        }
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < 200; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, 0, 0, i};
        head = node;
    }
    int times = 50;
    pthread_t one, other;
    if (pthread_create(&one, NULL, count_first, &times) != 0 ||
        pthread_create(&other, NULL, count_second, &times) != 0) {
        return 1;
    }
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->first + node->second + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
