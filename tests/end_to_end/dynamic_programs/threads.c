// Two hundred threads at once; each leaves an object that the main thread frees.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 200, rounds = 5, nodes = 300 };

struct node {
    struct node* next;
    long value;
};

static struct node* handed_over[threads];

static struct node* list_of(long first) {
    struct node* list = NULL;
    for (long i = 0; i < nodes; ++i) {
        struct node* const fresh = malloc(sizeof *fresh);
        *fresh = (struct node){list, first + i};
        list = fresh;
    }
    return list;
}

static void* work(void* number) {
    const long me = (long)number;
    long sum = 0;
    for (int round = 0; round < rounds; ++round) {
        struct node* list = list_of(me);
        while (list->next != NULL) {
            struct node* const next = list->next;
            sum += list->value;
            free(list);
            list = next;
        }
        free(handed_over[me]);
        handed_over[me] = list;
    }
    return (void*)sum;
}

int main(void) {
    static pthread_t started[threads];
    for (long i = 0; i < threads; ++i) {
        if (pthread_create(&started[i], NULL, work, (void*)i) != 0) return 1;
    }
    long sum = 0;
    for (int i = 0; i < threads; ++i) {
        void* of_thread = NULL;
        pthread_join(started[i], &of_thread);
        sum += (long)of_thread + handed_over[i]->value;
        free(handed_over[i]);
    }
    printf("%ld\n", sum);
    return 0;
}
