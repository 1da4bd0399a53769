"""Requests that are served leave errno alone."""

# A thread fills its arena of the C library's under a limit that leaves no room for another one; what it asks
# for then is mapped alone. The C library leaves ENOMEM behind where it did not get the arena.
FULL_ARENA = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { count = 8, bytes = (16 << 20) + 31 };

static size_t address_space(void) {
    long pages = 0;
    FILE* const file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld", &pages) != 1) abort();
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void* fill(void* unused) {
    long changed = 0;
    free(malloc(31 << 20));  // from now on objects of such a size lie in arenas
    const rlim_t most = address_space() + (100 << 20);
    if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0) abort();
    for (int i = 0; i < count; i++) {
        errno = 77;
        void* volatile object = malloc(bytes);
        if (object != NULL && errno != 77) changed++;
    }
    return (void*)changed;
}

int main(void) {
    pthread_t thread;
    void* changed = NULL;
    if (pthread_create(&thread, NULL, fill, NULL) != 0 || pthread_join(thread, &changed) != 0) abort();
    printf("%ld\\n", (long)changed);
    return 0;
}
"""


def test_what_is_served_after_all_leaves_errno_alone(malloom, compile_c) -> None:  # type: ignore[no-untyped-def]
    program = compile_c(FULL_ARENA, "-O1", "-fno-builtin", "-pthread")
    done = malloom("run", "--fallback", "system", "--statistics", "--", program)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
