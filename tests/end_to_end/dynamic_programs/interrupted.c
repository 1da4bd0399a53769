// A read that finds nothing and that a signal interrupts: it ends, or begins anew where the handler wants
// that (SA_RESTART) and has written something.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int writing;
static volatile sig_atomic_t writes;

static void on_alarm(int number) {
    (void)number;
    if (writes) (void)!write(writing, "more", 4);
}

static void read_until_alarm(int reading, int flags) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
    sigaction(SIGALRM, &action, NULL);
    writes = (flags & SA_RESTART) != 0;
    char text[16];
    alarm(1);
    const ssize_t count = read(reading, text, sizeof text);
    printf("%zd %s\n", count, count < 0 && errno == EINTR ? "interrupted" : "");
}

int main(void) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    writing = ends[1];
    read_until_alarm(ends[0], 0);
    read_until_alarm(ends[0], SA_RESTART);
    return 0;
}
