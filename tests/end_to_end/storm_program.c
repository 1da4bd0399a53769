// Threads that are cancelled, that exit and that fork, and handlers of signals that ask for memory and fork,
// all at random and at the same time. What is printed, and how it ends, is the same each time. To be linked
// with storm_heap.c: handlers ask for memory wherever their thread is.
//
//   storm_program SECONDS SEED FORKS SIGNALS
//
// At most so many forks. SIGNALS is 0 for none, and so no thread is cancelled: one that waits is by a signal;
// 1 for a timer's and cancelled threads; 2 for signals to any thread too, some of which stop it for a while
// or fork, and cancellation at any instruction.
#include "ends_program.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>

enum { crowd = 8, child_status = 7, exit_rounds = 4 };

static _Atomic unsigned long dice_thrown;
static _Atomic long forks_left;
static long signals_level;
static _Atomic int is_stopped;
static pthread_key_t key;

static unsigned long dice(unsigned long sides) {
    unsigned long value = ++dice_thrown * 0x9e3779b97f4a7c15UL;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9UL;
    value = (value ^ value >> 27) * 0x94d049bb133111ebUL;
    return (value ^ value >> 31) % sides;
}

static void stir_a_while(unsigned long most) {
    stir(dice(~0UL), (int)dice(most));
}

static void rest(unsigned long most_microseconds) {
    const struct timespec time = {0, (long)dice(most_microseconds) * 1000};
    nanosleep(&time, NULL);
}

// ---- children

static void* stir_beside(void* unused) {
    stir_a_while(500);
    return unused;
}

static void be_child(void) {
    pthread_t thread;
    // Its parent may just be being cancelled.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    stir_a_while(500);
    if (dice(2) == 0) {
        require(pthread_create(&thread, NULL, stir_beside, NULL) == 0);
        stir_a_while(500);
        require(pthread_join(thread, NULL) == 0);
    }
    if (dice(2) == 0) exit(child_status);
    _exit(child_status);
}

static void fork_and_wait(void) {
    if (--forks_left < 0) return;
    const pid_t child = fork();
    require(child >= 0);
    if (child == 0) be_child();
    int status = 0;
    while (dice(4) != 0) {
        if (waitpid(child, &status, 0) != child) continue;
        require(status == child_status << 8);
        return;
    }
}

// The fork for handlers, which calls none of what libraries have registered for forks.
static void fork_plainly(void) {
    if (--forks_left < 0) return;
    const pid_t child = _Fork();
    require(child >= 0);
    if (child != 0) return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    stir_a_while(50);
    _exit(child_status);
}

// ---- threads

static void interrupt(int number) {
    const int error = errno;
    stir_a_while(5);
    if (number == SIGUSR1 && dice(16) == 0) fork_plainly();
    errno = error;
}

// As collectors of garbage stop threads: none of these may hold what the collector waits for.
static void stay(int number) {
    const int error = errno;
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    while (is_stopped && number > 0) rest(100);
    pthread_setcancelstate(before, NULL);
    errno = error;
}

static void stir_alone(const pthread_t* threads) {
    is_stopped = 1;
    for (int i = 0; i < crowd; ++i) require(pthread_kill(threads[i], SIGUSR2) == 0);
    rest(2000);
    stir(dice(~0UL), 9000);
    is_stopped = 0;
}

// Now and then to be cancelled at any instruction.
static void stir_cancellably(void) {
    const int at_once = signals_level > 1 && dice(2) == 0;
    pthread_setcanceltype(at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
    stir_a_while(2000);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_testcancel();
}

// Up to the last of the rounds that the thread library makes.
static void thread_ends(void* round) {
    const size_t number = (size_t)round;
    stir_a_while(100);
    if (dice(16) == 0) fork_plainly();
    if (number < exit_rounds) pthread_setspecific(key, (void*)(number + 1));
}

static void* live(void* unused) {
    require(pthread_setspecific(key, (void*)1) == 0);
    for (unsigned long steps = dice(200); steps > 0; --steps) {
        stir_cancellably();
        if (dice(16) == 0) fork_and_wait();
        if (dice(8) == 0) rest(300);
    }
    if (dice(2) == 0) pthread_exit(unused);
    return unused;
}

static void end_thread(pthread_t thread) {
    if (signals_level > 0) require(pthread_cancel(thread) == 0);
    require(pthread_join(thread, NULL) == 0);
}

// ---- the storm

static void listen(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    require(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    action.sa_handler = stay;
    require(sigaction(SIGUSR2, &action, NULL) == 0);
}

static void tick_every(int microseconds) {
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    require(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

static void rage(long seconds) {
    pthread_t threads[crowd];
    const time_t end = time(NULL) + seconds;
    for (int i = 0; i < crowd; ++i) require(pthread_create(&threads[i], NULL, live, NULL) == 0);
    while (time(NULL) < end) {
        pthread_t* thread = &threads[dice(crowd)];
        stir_a_while(100);
        if (signals_level > 1) require(pthread_kill(*thread, SIGUSR1) == 0);
        if (signals_level > 1 && dice(100) == 0) stir_alone(threads);
        if (dice(4) == 0) rest(500);
        if (dice(8) != 0) continue;
        end_thread(*thread);
        require(pthread_create(thread, NULL, live, NULL) == 0);
    }
    for (int i = 0; i < crowd; ++i) end_thread(threads[i]);
}

int main(int count, char** words) {
    require(count == 5);
    int status = 0;
    dice_thrown = strtoul(words[2], NULL, 10) << 32;
    forks_left = atol(words[3]);
    signals_level = atol(words[4]);
    require(pthread_key_create(&key, thread_ends) == 0);
    listen();
    tick_every(signals_level > 0 ? 500 : 0);
    rage(atol(words[1]));
    tick_every(0);
    while (wait(&status) > 0) require(status == child_status << 8);
    for (int i = 0; i < places; ++i) release_all(shared[i]);
    return puts("the storm is over") < 0;
}
