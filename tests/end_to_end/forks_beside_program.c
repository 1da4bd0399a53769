// Forks beside threads that ask for so much memory that what is recorded of them is written all the time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 3, requests = 100000, forks = 8, child_status = 7 };

static void* ask(void* unused) {
    for (int i = 0; i < requests; ++i) {
        long* volatile object = malloc(32);
        *object = i;
        free(object);
    }
    return unused;
}

int main(void) {
    pthread_t asking[threads];
    for (int i = 0; i < threads; ++i) pthread_create(&asking[i], NULL, ask, NULL);
    for (int i = 0; i < forks; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            free(malloc(100));
            _exit(child_status);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != child_status << 8) return 1;
    }
    for (int i = 0; i < threads; ++i) pthread_join(asking[i], NULL);
    puts("all are there");
    return 0;
}
