// A thread waits for another one's arrays by volatile variables, as older programs do: sum_of, of the case
// that includes this, is what it does with them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct job {
    long weight;
    int from, to;
    struct job* cold;
};

static struct job* volatile jobs;
static volatile int count, ready, done;
static volatile long result;

static long add(const struct job* job, int jobs_now) {
    long sum = 0;
    for (int i = 0; i < jobs_now; ++i) {
        sum += job[i].weight + job[i].to;
    }
    return sum;
}

static long sum_of(const struct job* job, int jobs_now);

static void* work(void* rounds) {
    for (int round = 1; round <= (long)rounds; ++round) {
        while (ready < round) {
            __builtin_ia32_pause();
        }
        result = sum_of(jobs, count);
        done = round;
    }
    return rounds;
}

int main(int words, char** word) {
    (void)word;
    pthread_t thread;
    const long rounds = 2 + words;
    pthread_create(&thread, NULL, work, (void*)rounds);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    for (int round = 1; round <= rounds; ++round) {
        const int jobs_now = 1000 * round + words;
        struct job* all = malloc((size_t)jobs_now * sizeof *all);
        for (int i = 0; i < jobs_now; ++i) {
            all[i] = (struct job){i, i, 1, i != 0 ? &all[i - 1] : all};
        }
        long before = 0;
        for (int i = 0; i < jobs_now; ++i) {
            before += all[i].cold->from;
        }
        jobs = all;
        count = jobs_now;
        ready = round;
        while (done < round) {
            __builtin_ia32_pause();
        }
        printf("%ld %ld\n", result, before);
        free(all);
    }
    pthread_join(thread, NULL);
    return 0;
}
