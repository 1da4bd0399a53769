/* Opens and closes a library so many times: host LIBRARY CYCLES [threads] [keep]. Prints the KiB of its
 * address space after the first tenth of the cycles, and at the end. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long (*Work)(long count);

enum { count = 500 };
static Work work;
static long expected;

static long address_space(void) {
    char line[256];
    long kibibytes = 0;
    FILE* file = fopen("/proc/self/status", "r");
    if (file == NULL) exit(3);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "VmSize:", 7) == 0) kibibytes = atol(line + 7);
    }
    fclose(file);
    return kibibytes;
}

static void must(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void* work_apart(void* unused) {
    must(work(count) == expected, "a thread got another sum");
    return unused;
}

static void* wait_for_end(void* wait) {
    pthread_barrier_wait(wait);
    return NULL;
}

/* One thread uses the library and lives on; others end before it is closed. */
static void work_in_threads(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) must(pthread_create(&threads[i], NULL, work_apart, NULL) == 0, "no thread");
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

int main(int arguments, char** words) {
    const int cycles = atoi(words[2]);
    const int has_threads = arguments > 3 && strcmp(words[3], "threads") == 0;
    const int keeps = arguments > 3 && strcmp(words[3], "keep") == 0;
    long at_first = 0;
    expected = 0;
    for (long i = 0; i < count; ++i) expected += 3 * i + 1 + 2 + 3;
    pthread_barrier_t end;
    pthread_t bystander;
    pthread_barrier_init(&end, NULL, 2);
    pthread_create(&bystander, NULL, wait_for_end, &end);
    for (int cycle = 0; cycle < cycles; ++cycle) {
        void* library = dlopen(words[1], RTLD_NOW);
        must(library != NULL, "the library does not open");
        work = (Work)dlsym(library, "work");
        must(work(count) == expected, "another sum");
        if (has_threads) work_in_threads();
        if (keeps) must(((Work)dlsym(library, "keep"))(count) == 2 * (count - 1), "kept another");
        dlclose(library);
        must(dlopen(words[1], RTLD_NOW | RTLD_NOLOAD) == NULL, "the library is still there");
        if (cycle == cycles / 10) at_first = address_space();
    }
    printf("%ld %ld\n", at_first, address_space());
    pthread_barrier_wait(&end);
    pthread_join(bystander, NULL);
    return 0;
}
