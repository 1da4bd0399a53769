// Asks for memory from odd places: many threads, small stacks, coroutines, signal handlers; and in odd ways.
#include "ends_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

// ---- threads

static void* stir_much(void* number) {
    stir((unsigned long)(size_t)number, 1000);
    return NULL;
}

static int threads(void) {
    in_threads(200, stir_much);
    for (int i = 0; i < 40; ++i) in_threads(1, stir_much);
    for (int i = 0; i < places; ++i) {
        if (shared[i] != NULL) release(shared[i]);
    }
    return puts("threads") < 0;
}

static int small_stacks(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    require(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
    for (size_t i = 0; i < 50; ++i) {
        pthread_t thread;
        require(pthread_create(&thread, &attributes, stir_much, (void*)i) == 0);
        require(pthread_join(thread, NULL) == 0);
    }
    return puts("small stacks") < 0;
}

// ---- coroutines

enum { coroutines_count = 40, stack_bytes = 16 << 10 };
static ucontext_t scheduler, coroutines[coroutines_count];
static int finished;

// One site for changing sizes, so that its callers are looked for, up to where a coroutine's stack begins.
static struct node* of_changing_size(int i) {
    return node_of((size_t)(24 + i * 7919 % 500), NULL);
}

static void run_coroutine(int number) {
    struct node *same = NULL, *held = NULL;
    for (int i = 0; i < 60; ++i) {
        same = node_of(80, same);
        if (held != NULL) release(held);
        held = of_changing_size(number + i);
        swapcontext(&coroutines[number], &scheduler);
    }
    release(held);
    release_all(same);
    ++finished;
}

// Nothing can be read above a mapped stack, as nothing below it.
static char* guarded_stack(void) {
    char* range = (char*)mmap(NULL, 3 * stack_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mprotect(range + stack_bytes, stack_bytes, PROT_READ | PROT_WRITE) == 0);
    return range + stack_bytes;
}

static int run_coroutines(void) {
    for (int i = 0; i < coroutines_count; ++i) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = i % 2 == 0 ? malloc(stack_bytes) : guarded_stack();
        coroutines[i].uc_stack.ss_size = stack_bytes;
        coroutines[i].uc_link = &scheduler;
        makecontext(&coroutines[i], (void (*)(void))run_coroutine, 1, i);
    }
    for (int i = 0; i < 61 * coroutines_count; ++i)
        swapcontext(&scheduler, &coroutines[i % coroutines_count]);
    for (int i = 0; i < coroutines_count; i += 2) free(coroutines[i].uc_stack.ss_sp);
    return printf("coroutines %d\n", finished) < 0;
}

// ---- signals

static volatile sig_atomic_t interruptions;

static void use_heap(int number) {
    (void)number;
    stir(11, 3);
    ++interruptions;
}

// In each the handler interrupts the same few call sites, in the heap or between.
static int signals(void) {
    struct sigaction action = {.sa_handler = use_heap, .sa_flags = SA_RESTART | SA_NODEFER};
    sigaction(SIGPROF, &action, NULL);
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &often, NULL);
    while (interruptions < 100) raise(SIGPROF), stir_much(NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    return puts("signals") < 0;
}

static sigjmp_buf back;

static void jump_back(int number) {
    release(node_of(48, NULL));
    siglongjmp(back, number);
}

static void* volatile nowhere;

static int faults(void) {
    const stack_t stack = {.ss_sp = malloc(64 << 10), .ss_size = 64 << 10};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = jump_back, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    struct node* volatile list = NULL;
    volatile int count = 0;
    for (int volatile i = 0; i < 300; ++i) {
        if (sigsetjmp(back, 1) == 0) {
            list = node_of(48, list);
            list =
                filled(nowhere == NULL && i % 2 ? (struct node*)((char*)nowhere + 16) : list, 48, list->next);
        } else {
            ++count;
        }
    }
    release_all(list);
    return printf("faults %d\n", count) < 0;
}

// ---- ways to ask

static void* object_by(int way, size_t bytes) {
    void* object = NULL;
    switch (way) {
        case 0:
            return malloc(bytes);
        case 1:
            return calloc(1, bytes);
        case 2:
            return realloc(NULL, bytes);
        case 3:
            return memalign(256, bytes);
        case 4:
            return aligned_alloc(64, bytes);
        case 5:
            require(posix_memalign(&object, 4096, bytes) == 0);
            return object;
        case 6:
            return valloc(bytes);
        default:
            return reallocarray(NULL, bytes, 1);
    }
}

static void grow_and_shrink(unsigned char* object, size_t had) {
    static const size_t sizes[] = {48, 40, 49, 100, 3000, 5000, 200000, 6000, 64, 1, 48};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        object = (unsigned char*)realloc(object, sizes[i]);
        const size_t left = had < sizes[i] ? had : sizes[i];
        for (size_t k = 0; k < left; ++k) require(object[k] == k % 251);
        had = malloc_usable_size(object);
        require(had >= sizes[i]);
        for (size_t k = 0; k < had; ++k) object[k] = k % 251;
    }
    errno = 0;
    require(realloc(object, 0) == NULL && errno == 0);
}

static int ways(void) {
    unsigned char* objects[80];
    for (int way = 0; way < 8; ++way) {
        for (int i = 0; i < 80; ++i) {
            objects[i] = (unsigned char*)object_by(way, i < 40 ? 48 : (size_t)i);
            const size_t usable = malloc_usable_size(objects[i]);
            for (size_t k = 0; k < usable; ++k) objects[i][k] = k % 251;
        }
        for (int i = 0; i < 80; ++i) {
            const size_t usable = malloc_usable_size(objects[i]);
            for (size_t k = 0; k < usable; ++k) require(objects[i][k] == k % 251);
            if (i % 2)
                free(objects[i]);
            else
                grow_and_shrink(objects[i], usable);
        }
    }
    free(NULL);
    require(malloc_usable_size(NULL) == 0);
    void *none = malloc(0), *another = malloc(0);
    require(none != NULL && none != another);
    free(none);
    free(another);
    errno = 77;
    free(malloc(48));
    require(errno == 77);
    return puts("ways") < 0;
}

// ---- memory that goes back

static size_t resident_bytes(void) {
    long all = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    require(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

// Each with a call site of its own.
static struct node* small_node(struct node* next) {
    return filled((struct node*)malloc(48), 48, next);
}
static struct node* large_node(struct node* next) {
    return filled((struct node*)malloc(400), 400, next);
}

static int phases(void) {
    const size_t before = resident_bytes();
    for (int phase = 0; phase < 3; ++phase) {
        struct node *small = NULL, *large = NULL;
        for (int i = 0; i < 200000; ++i) small = small_node(small);
        for (int i = 0; i < 50000; ++i) large = large_node(large);
        const size_t most = resident_bytes() - before;
        release_all(small);
        release_all(large);
        const size_t left = resident_bytes() - before;
        printf("%zu of %zu\n", left, most);
    }
    return 0;
}

// ---- other allocators

static int library(const char* path, int flags) {
    void* opened = dlopen(path, RTLD_NOW | flags);
    if (opened == NULL) return puts(dlerror());
    void* (*make)(void) = (void* (*)(void))dlsym(opened, "make");
    void (*take)(void*) = (void (*)(void*))dlsym(opened, "take");
    struct node* list = NULL;
    for (int i = 0; i < 1000; ++i) {
        list = node_of(48, list);
        take(make());
        free(strdup("between"));
    }
    release_all(list);
    return dlclose(opened) != 0 || puts("library") < 0;
}

// Of an object that the library's C library made, through another door.
static int deep_library(const char* path) {
    void* opened = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
    if (opened == NULL) return puts(dlerror());
    void* (*make)(void) = (void* (*)(void))dlsym(opened, "make");
    for (int i = 0; i < 100; ++i) {
        free(node_of(48, NULL));
        require(malloc_usable_size(make()) >= 48);
        free(realloc(make(), 100));
        free(make());
    }
    return puts("deep library") < 0;
}

int main(int count, char** words) {
    const char* way = count > 1 ? words[1] : "";
    if (strcmp(way, "threads") == 0) return threads();
    if (strcmp(way, "small_stacks") == 0) return small_stacks();
    if (strcmp(way, "coroutines") == 0) return run_coroutines();
    if (strcmp(way, "signals") == 0) return signals();
    if (strcmp(way, "faults") == 0) return faults();
    if (strcmp(way, "ways") == 0) return ways();
    if (strcmp(way, "phases") == 0) return phases();
    if (strcmp(way, "library") == 0) return library(words[2], 0);
    if (strcmp(way, "deep_library") == 0) return deep_library(words[2]);
    return 2;
}
