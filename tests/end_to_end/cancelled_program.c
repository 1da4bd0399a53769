// Threads that are cancelled, one after the other, each while it asks for memory and gives it back.
#include "ends_program.h"

#include <time.h>

static void* ask_until_cancelled(void* number) {
    for (size_t i = (size_t)number;; ++i) {
        release(node_of(24 + i % 4000, NULL));
        pthread_testcancel();
    }
}

static void rest(long microseconds) {
    const struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, NULL);
}

int main(int count, char** words) {
    const long threads = count > 1 ? atol(words[1]) : 300;
    for (long i = 0; i < threads; ++i) {
        pthread_t thread;
        void* result = NULL;
        require(pthread_create(&thread, NULL, ask_until_cancelled, (void*)i) == 0);
        rest(5000);
        require(pthread_cancel(thread) == 0);
        require(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    }
    return printf("%ld threads cancelled\n", threads) < 0;
}
