// Asks for memory in ways that pools have to live with, and checks every object before it frees it.
//   pools_program lists N      two kinds of objects through one wrapper, a third by strdup, N of each
//   pools_program sizes N      one call site: N objects of 48 bytes, N of 96, N of changing sizes, N of 48
//   pools_program threads T    T threads that hand their objects to the next one, which frees them
//   pools_program shares T     64 call sites, 1,000 objects each; then T threads, 4 objects from each site
//   pools_program late N       N objects made and freed in turn; then two sites make N of one size by turns
//   pools_program fork         children that free what the parent made, and exec
//   pools_program handler      a signal handler that asks at the same call site as the program
//   pools_program library F    the library F, which has an allocator of its own
//   pools_program kill         is killed while it holds its objects
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct node {
    struct node* next;
    size_t bytes;
    unsigned char filler[];
};

static void* wrapped_malloc(size_t bytes) {
    void* object = malloc(bytes);
    if (object == NULL) abort();
    return object;
}

static struct node* filled(struct node* node, size_t bytes, struct node* next) {
    node->next = next;
    node->bytes = bytes;
    memset(node->filler, (int)(bytes % 251), bytes - sizeof *node);
    return node;
}

static void release(struct node* node) {
    for (size_t i = 0; i < node->bytes - sizeof *node; ++i) {
        if (node->filler[i] != node->bytes % 251) abort();
    }
    free(node);
}

static void release_all(struct node* list) {
    while (list != NULL) {
        struct node* next = list->next;
        release(list);
        list = next;
    }
}

static struct node* small_node(struct node* next) {
    return filled(wrapped_malloc(40), 40, next);
}
static struct node* large_node(struct node* next) {
    return filled(wrapped_malloc(200), 200, next);
}

static int run_lists(long count) {
    struct node *small = NULL, *large = NULL;
    for (long i = 0; i < count; ++i) {
        small = small_node(small);
        large = large_node(large);
        char* text = strdup("a text of some length");
        if (strlen(text) != 21) abort();
        free(text);
    }
    release_all(small);
    release_all(large);
    return puts("lists done") < 0;
}

static struct node* node_of(size_t bytes, struct node* next) {
    return filled(malloc(bytes), bytes, next);
}

static int run_sizes(long count) {
    struct node* list = NULL;
    for (long i = 0; i < count; ++i) list = node_of(48, list);
    for (long i = 0; i < count; ++i) list = node_of(96, list);
    for (long i = 0; i < count; ++i) list = node_of((size_t)(24 + i * 7919 % 700), list);
    for (long i = 0; i < count; ++i) list = node_of(48, list);
    for (long i = 0; i < count / 2; ++i) {
        struct node* grown = realloc(list, list->bytes + 500);
        list = filled(grown, grown->bytes + 500, grown->next);
    }
    release_all(list);
    return puts("sizes done") < 0;
}

enum { most_threads = 400 };
static struct node* handed[most_threads];
static pthread_barrier_t everybody;
static long threads;

static void* work(void* number) {
    const long self = (long)number;
    for (int i = 0; i < 500; ++i) handed[self] = node_of(i % 16 == 0 ? 80 : 64, handed[self]);
    pthread_barrier_wait(&everybody);
    release_all(handed[(self + 1) % threads]);
    return NULL;
}

static int run_threads(long count) {
    pthread_t started[most_threads];
    threads = count;
    pthread_barrier_init(&everybody, NULL, (unsigned)count);
    for (long i = 0; i < count; ++i) {
        if (pthread_create(&started[i], NULL, work, (void*)i) != 0) abort();
    }
    for (long i = 0; i < count; ++i) pthread_join(started[i], NULL);
    return puts("threads done") < 0;
}

#define TWICE(made) made made
#define FOUR_TIMES(made) TWICE(made) TWICE(made)
#define AT_64_SITES(made) FOUR_TIMES(FOUR_TIMES(FOUR_TIMES(made)))

static struct node* from_each_site(struct node* list, int objects) {
    for (int i = 0; i < objects; ++i) {
        AT_64_SITES(list = filled(malloc(64), 64, list);)
    }
    return list;
}

static void* share_sites(void* unused) {
    (void)unused;
    struct node* list = from_each_site(NULL, 4);
    pthread_barrier_wait(&everybody);
    return list;  // it lives to the end: the peak is what all threads have
}

static int run_shares(long count) {
    pthread_t started[most_threads];
    struct node* list = from_each_site(NULL, 1000);
    pthread_barrier_init(&everybody, NULL, (unsigned)count);
    for (long i = 0; i < count; ++i) {
        if (pthread_create(&started[i], NULL, share_sites, NULL) != 0) abort();
    }
    for (long i = 0; i < count; ++i) pthread_join(started[i], NULL);
    if (list->bytes != 64) abort();
    return puts("shares done") < 0;
}

// Prints how many of the objects of each of the two sites lie behind the one that it made before, in percent.
static int run_late(long count) {
    for (long i = 0; i < count; ++i) free(filled(malloc(64), 64, NULL));
    struct node* one = NULL;
    struct node* other = NULL;
    long neighbours = 0;
    for (long i = 0; i < count; ++i) {
        struct node* before = one;
        one = filled(malloc(64), 64, one);
        neighbours += (char*)one - (char*)before == 64;
        before = other;
        other = filled(malloc(64), 64, other);
        neighbours += (char*)other - (char*)before == 64;
    }
    return printf("%ld %%\n", neighbours * 100 / (2 * count)) < 0;
}

static int run_fork(const char* self) {
    struct node* list = NULL;
    for (int i = 0; i < 1000; ++i) list = node_of(48, list);
    for (int i = 0; i < 10; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            release_all(list);
            for (list = NULL, i = 0; i < 1000; ++i) list = node_of(48, list);
            release_all(list);
            execl(self, self, "lists", "100", (char*)NULL);
            _exit(9);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    release_all(list);
    return puts("fork done") < 0;
}

static volatile sig_atomic_t interruptions;

static void handle(int signal) {
    (void)signal;
    release(node_of(48, NULL));
    ++interruptions;
}

static int run_handler(void) {
    struct node* list = NULL;
    for (int i = 0; i < 1000; ++i) list = node_of(48, list);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (interruptions < 200) {
        struct node* rest = list->next;
        release(list);
        list = node_of(48, rest);
    }
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    release_all(list);
    return puts("handler done") < 0;
}

static int run_library(const char* path) {
    void* library = dlopen(path, RTLD_NOW);
    if (library == NULL) return puts(dlerror());
    void* (*make)(void) = (void* (*)(void))dlsym(library, "make");
    void (*take)(void*) = (void (*)(void*))dlsym(library, "take");
    for (int i = 0; i < 1000; ++i) {
        struct node* own = node_of(48, NULL);
        take(make());
        release(own);
    }
    return puts("library done") < 0;
}

int main(int count, char** words) {
    const char* way = count > 1 ? words[1] : "";
    const long number = count > 2 ? atol(words[2]) : 0;
    if (strcmp(way, "lists") == 0) return run_lists(number);
    if (strcmp(way, "sizes") == 0) return run_sizes(number);
    if (strcmp(way, "threads") == 0) return run_threads(number);
    if (strcmp(way, "shares") == 0) return run_shares(number);
    if (strcmp(way, "late") == 0) return run_late(number);
    if (strcmp(way, "fork") == 0) return run_fork(words[0]);
    if (strcmp(way, "handler") == 0) return run_handler();
    if (strcmp(way, "library") == 0) return run_library(words[2]);
    if (strcmp(way, "kill") == 0) {
        run_lists(1000);
        return kill(getpid(), SIGKILL);
    }
    return 2;
}
