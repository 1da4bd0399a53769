// Ends in unusual ways, or gets there by them, with objects of one call site in hand. The output tells that
// all was as it should be; it is the same whatever serves the requests.
#include "ends_program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static struct node* hoard;

static void make_hoard(void) {
    for (int i = 0; i < 2000; ++i) hoard = node_of(48, hoard);
}

// ---- processes

static int wait_for(pid_t child) {
    int status = 0;
    require(waitpid(child, &status, 0) == child);
    return status;
}

static void use_and_exit(int depth) {
    release_all(hoard);
    hoard = NULL;
    make_hoard();
    if (depth > 0) {
        const pid_t child = fork();
        if (child == 0) use_and_exit(depth - 1);
        require(wait_for(child) == 7 << 8);
    }
    release_all(hoard);
    _exit(7);
}

static void* fork_and_stir(void* number) {
    for (int i = 0; i < 3; ++i) {
        stir((unsigned long)(size_t)number, 300);
        const pid_t child = fork();
        if (child == 0) {
            stir(99, 300);
            _exit(5);
        }
        require(wait_for(child) == 5 << 8);
    }
    return NULL;
}

static int forks(void) {
    make_hoard();
    pid_t children[20];
    for (int i = 0; i < 20; ++i) {
        children[i] = fork();
        if (children[i] == 0) use_and_exit(i % 3);
    }
    for (int i = 0; i < 20; ++i) require(wait_for(children[i]) == 7 << 8);
    in_threads(6, fork_and_stir);
    return puts("forks") < 0;
}

static int execs(const char* self, long left) {
    make_hoard();
    char number[32];
    snprintf(number, sizeof number, "%ld", left - 1);
    if (left > 0) execl(self, self, "execs", number, (char*)NULL);
    return puts("execs") < 0;
}

static int vforks(void) {
    char* const words[] = {"true", NULL};
    make_hoard();
    for (int i = 0; i < 20; ++i) {
        struct node* node = node_of(48, NULL);
        pid_t child = vfork();
        if (child == 0) {
            execvp(words[0], words);
            _exit(1);
        }
        require(child > 0 && wait_for(child) == 0);
        require(posix_spawnp(&child, words[0], NULL, NULL, words, environ) == 0 && wait_for(child) == 0);
        release(node);
    }
    release_all(hoard);
    return puts("vforks") < 0;
}

// ---- ends

static void* stir_for_ever(void* number) {
    for (;;) stir((unsigned long)(size_t)number, 1000);
}

static void start_stirring(void) {
    pthread_t thread;
    for (size_t i = 0; i < 4; ++i) require(pthread_create(&thread, NULL, stir_for_ever, (void*)i) == 0);
    stir(7, 3000);
}

static void last_words(void) {
    make_hoard();
    release_all(hoard);
    puts("last words");
}

static int end(const char* way) {
    make_hoard();
    printf("%s\n", way);
    fflush(stdout);
    start_stirring();
    if (strcmp(way, "killed") == 0) return kill(getpid(), SIGKILL);
    if (strcmp(way, "terminated") == 0) return raise(SIGTERM);
    if (strcmp(way, "aborted") == 0) abort();
    if (strcmp(way, "faulted") == 0) *(volatile int*)NULL = 1;
    if (strcmp(way, "left") == 0) _exit(3);
    atexit(last_words);
    return 4;
}

static void* outlive(void* unused) {
    stir(3, 20000);
    last_words();
    exit(6);
    return unused;
}

/// What this thread makes runs only when this one waits or is gone, where that may be said.
static void go_first(void) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    const struct sched_param first = {.sched_priority = 1};
    sched_setaffinity(0, sizeof here, &here);
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

static int main_leaves(const char* when) {
    pthread_t thread;
    make_hoard();
    if (strcmp(when, "first") == 0) go_first();
    require(pthread_create(&thread, NULL, outlive, NULL) == 0);
    pthread_exit(NULL);
}

// ---- what the program takes from itself

static int descriptors(void) {
    make_hoard();
    const int kept = dup2(1, 57);
    for (int i = 0; i < 2000; ++i) {
        if (i != kept) close(i);
    }
    require(close_range(58, ~0U, 0) == 0);
    release_all(hoard);
    hoard = NULL;
    make_hoard();
    release_all(hoard);
    require(open("/dev/null", O_RDONLY) == 0);
    dprintf(kept, "descriptors\n");
    return 0;
}

// A program that hands its descriptors on, or closes them, looks which there are.
static int open_now(void) {
    DIR* const listing = opendir("/proc/self/fd");
    int count = 0;
    require(listing != NULL);
    while (readdir(listing) != NULL) ++count;
    closedir(listing);
    return count;
}

static int counted(void) {
    make_hoard();
    stir(5, 100000);
    release_all(hoard);
    return printf("open %d\n", open_now()) < 0;
}

static int used_up(void) {
    make_hoard();
    while (dup(1) >= 0) {
    }
    require(errno == EMFILE);
    stir(5, 100000);
    release_all(hoard);
    require(dup(1) < 0);
    return printf("used up\n") < 0;
}

// As sandboxes do.
static int limited(void) {
    const struct rlimit none = {0, 0};
    make_hoard();
    require(setrlimit(RLIMIT_NOFILE, &none) == 0);
    stir(5, 100000);
    release_all(hoard);
    require(dup(1) < 0);
    return printf("limited\n") < 0;
}

// To nobody, where that is allowed.
static int changed_user(void) {
    make_hoard();
    const int status = setuid(getuid() == 0 ? 65534 : getuid());
    stir(5, 100000);
    release_all(hoard);
    return printf("user %d\n", status) < 0;
}

static int changed_root(void) {
    char folder[] = "ends.XXXXXX";
    make_hoard();
    require(mkdtemp(folder) != NULL);
    const int status = chroot(folder);
    require(chdir(status == 0 ? "/" : ".") == 0);
    stir(5, 100000);
    release_all(hoard);
    return printf("chroot %d\n", status) < 0;
}

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// As programs do that mean to touch nothing but memory and what is open.
static void enter_sandbox(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_read),
        ALLOW(SYS_write),
        ALLOW(SYS_brk),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mremap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise),
        ALLOW(SYS_futex),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_newfstatat),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

static int sandbox(int is_warm) {
    if (is_warm) make_hoard();
    enter_sandbox();
    require(open("/dev/null", O_RDONLY) == -1 && errno == EPERM);
    make_hoard();
    stir(5, 3000);
    release_all(hoard);
    free(malloc(100 << 20));
    return puts("sandbox") < 0;
}

static int strictly(void) {
    static const char text[] = "strict\n";
    make_hoard();
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    for (int i = 0; i < 1000; ++i) {
        struct node* rest = hoard->next;
        release(hoard);
        hoard = node_of(48, rest);
    }
    require(write(1, text, sizeof text - 1) == sizeof text - 1);
    return (int)syscall(SYS_exit, 0);
}

// ---- no memory left; the address space is limited from without

static size_t take_all(size_t bytes) {
    size_t count = 0;
    for (void** object; (object = malloc(bytes)) != NULL; ++count) {
        *object = hoard;
        hoard = (struct node*)object;
    }
    return count;
}

static void free_all(void) {
    while (hoard != NULL) {
        struct node* next = *(struct node**)hoard;
        free(hoard);
        hoard = next;
    }
}

static int exhaustion(size_t bytes) {
    for (int round = 0; round < 2; ++round) {
        errno = 0;
        require(take_all(bytes) > 0 && errno == ENOMEM);
        errno = 0;
        require(calloc(1000, 4000000) == NULL && errno == ENOMEM);
        free_all();
    }
    stir(5, 3000);
    return puts("exhaustion") < 0;
}

static int impossible(void) {
    void* object = malloc(48);
    volatile size_t most = SIZE_MAX;
    memset(object, 'a', 48);
    for (int i = 0; i < 20; ++i) {
        errno = 0;
        require(malloc(most / 2 + 1) == NULL && errno == ENOMEM);
        require(malloc(most) == NULL && calloc(most, 2) == NULL && calloc(most / 4, 3) == NULL);
        require(realloc(object, most - 10) == NULL && *(char*)object == 'a' && errno == ENOMEM);
        require(reallocarray(object, most, 2) == NULL && memalign(64, most - 100) == NULL);
        void* none = object;
        require(posix_memalign(&none, 24, 10) == EINVAL && posix_memalign(&none, 64, most - 64) == ENOMEM);
        require(none == object && aligned_alloc(4096, most / 2 + 4096) == NULL);
    }
    free(object);
    return puts("impossible") < 0;
}

int main(int count, char** words) {
    const char* way = count > 1 ? words[1] : "";
    const char* what = count > 2 ? words[2] : "";
    if (strcmp(way, "forks") == 0) return forks();
    if (strcmp(way, "execs") == 0) return execs(words[0], atol(what));
    if (strcmp(way, "vforks") == 0) return vforks();
    if (strcmp(way, "end") == 0) return end(what);
    if (strcmp(way, "main_leaves") == 0) return main_leaves(what);
    if (strcmp(way, "descriptors") == 0) return descriptors();
    if (strcmp(way, "chroot") == 0) return changed_root();
    if (strcmp(way, "counted") == 0) return counted();
    if (strcmp(way, "used_up") == 0) return used_up();
    if (strcmp(way, "limited") == 0) return limited();
    if (strcmp(way, "user") == 0) return changed_user();
    if (strcmp(way, "sandbox") == 0) return sandbox(*what == 'w');
    if (strcmp(way, "strict") == 0) return strictly();
    if (strcmp(way, "exhaustion") == 0) return exhaustion((size_t)atol(what));
    if (strcmp(way, "impossible") == 0) return impossible();
    return 2;
}
