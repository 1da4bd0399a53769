// limits CASE: what a process gets that limits itself. Prints numbers, one a line.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { mebibyte = 1 << 20, threads = 8 };

static void limit(int resource, size_t bytes) {
    const struct rlimit wanted = {bytes, bytes};
    if (setrlimit(resource, &wanted) != 0) {
        perror("setrlimit");
        exit(1);
    }
}

static size_t of_status(const char* name) {
    char line[256];
    size_t kilobytes = 0;
    FILE* file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtoul(line + strlen(name) + 1, NULL, 10);
    }
    if (file != NULL) fclose(file);
    return kilobytes * 1024;
}

// In a list, so that it can be freed. Returns what it comes to.
static size_t use(size_t bytes, size_t most, void** list) {
    size_t sum = 0;
    while (sum < most) {
        errno = 0;
        void** object = malloc(bytes);
        if (object == NULL) {
            if (errno != ENOMEM) exit(3);
            break;
        }
        memset(object, 1, bytes);
        *object = *list;
        *list = object;
        sum += bytes;
    }
    return sum;
}

static void release(void* list) {
    while (list != NULL) {
        void* next = *(void**)list;
        free(list);
        list = next;
    }
}

static void* in_thread(void* argument) {
    void* list = NULL;
    *(size_t*)argument = use(1000, mebibyte, &list);
    release(list);
    return NULL;
}

// Bytes that 64 KiB, 100 and 1000 bytes get of 40 MiB each, threads that get a mebibyte, and whether a
// library is loaded.
static void address_space(void) {
    limit(RLIMIT_AS, (size_t)1 << 30);
    void* list = NULL;
    const size_t sizes[] = {65536, 100, 1000};
    for (int i = 0; i < 3; ++i) printf("%zu\n", use(sizes[i], 40 * mebibyte, &list));
    pthread_t started[threads];
    size_t got[threads] = {0}, served = 0;
    for (int i = 0; i < threads; ++i) {
        if (pthread_create(&started[i], NULL, in_thread, &got[i]) != 0) started[i] = 0;
    }
    for (int i = 0; i < threads; ++i) {
        if (started[i] != 0) pthread_join(started[i], NULL);
        served += got[i] >= mebibyte;
    }
    printf("%zu\n%d\n", served, dlopen("libm.so.6", RTLD_NOW) != NULL);
}

// What is got in all of one size until there is no more, and of two others when that is freed.
static void until_refused(int resource, size_t bytes) {
    limit(resource, bytes);
    void* list = NULL;
    printf("%zu\n", use(64, SIZE_MAX, &list));
    release(list);
    list = NULL;
    printf("%zu\n", use(1000, bytes / 4, &list));
    printf("%zu\n", use(300, bytes / 4, &list));
    release(list);
}

static void locked(void) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) perror("mlockall");
    const size_t before = of_status("VmLck:");
    void* list = NULL;
    use(100, 10 * mebibyte, &list);
    printf("%zu\n%zu\n", before, of_status("VmLck:") - before);
}

// What is got where the process has nearly as many mappings as it may.
static void mappings(void) {
    enum { most = 1 << 17, left = 64 };
    static void* pages[most];
    int made = 0;
    for (; made < most; ++made) {
        const int protection = made % 2 == 0 ? PROT_READ : PROT_NONE;
        pages[made] = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages[made] == MAP_FAILED) break;
    }
    for (int i = 0; i < left; ++i) munmap(pages[--made], 4096);
    void* list = NULL;
    printf("%zu\n", use(100, 10 * mebibyte, &list));
    printf("%zu\n", use(3000, 10 * mebibyte, &list));
}

// Whether objects become smaller once nothing is left.
static void shrinking(void) {
    enum { count = 4 };
    const size_t sizes[count] = {3000, 40000, 200000, 10 * mebibyte};
    char* objects[count];
    for (int i = 0; i < count; ++i) objects[i] = memset(malloc(sizes[i]), 1, sizes[i]);
    limit(RLIMIT_AS, of_status("VmSize:") + 8 * mebibyte);
    void* list = NULL;
    for (size_t bytes = 4096; bytes >= 16; bytes /= 2) use(bytes, (size_t)1 << 30, &list);
    for (int i = 0; i < count; ++i) {
        char* smaller = realloc(objects[i], 100);
        printf("%d\n", smaller != NULL && smaller[99] == 1);
    }
}

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    if (strcmp(name, "address-space") == 0) {
        address_space();
    } else if (strcmp(name, "address-space-used-up") == 0) {
        until_refused(RLIMIT_AS, (size_t)512 << 20);
    } else if (strcmp(name, "data-used-up") == 0) {
        until_refused(RLIMIT_DATA, (size_t)128 << 20);
    } else if (strcmp(name, "small") == 0) {
        void* list = NULL;
        printf("%zu\n", use(100, 20 * mebibyte, &list));
    } else if (strcmp(name, "mappings") == 0) {
        mappings();
    } else if (strcmp(name, "shrinking") == 0) {
        shrinking();
    } else if (strcmp(name, "locked") == 0) {
        locked();
    } else {
        return 2;
    }
    return 0;
}
