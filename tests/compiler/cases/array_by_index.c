// Arrays of structures, as many as the program is told: each field in an array of its own, found by indices.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct particle {
    double place, speed;
    int charge;
    short kind;
    char mark;
};

static volatile int wanted = 1000;
static struct particle* all;
static int count;

__attribute__((noinline)) static void step(double time) {
    for (int i = 0; i < count; ++i) {
        all[i].place += all[i].speed * time;
    }
}

__attribute__((noinline)) static long charge_between(int first, int last) {
    long sum = 0;
    for (int i = first; i < last; ++i) {
        sum += all[i].charge * (all[i].kind == 2 ? -1 : 1);
    }
    return sum;
}

__attribute__((noinline)) static struct particle* nearest(int i) {
    return all[i].place < all[i + 1].place ? &all[i - 1] : &all[i + 1];
}

int main(void) {
    long sum = 0;
    for (int round = 0; round < 3; ++round) {
        count = wanted >> round;
        all = calloc((size_t)count, sizeof *all);
        for (int i = count - 1; i >= 0; --i) {
            sum += all[i].charge + all[i].mark;
            all[i].speed = i * 0.25;
            all[i].charge = i * 7 % 13;
            all[i].kind = (short)(i % 4);
            all[i].mark = (char)i;
        }
        for (int i = 0; i < 10; ++i) {
            step(i);
        }
        for (int i = 1; i + 1 < count; i += 3) {
            const struct particle* other = nearest(i);
            sum = sum * 31 + other->charge + other->mark + (long)(other->place * 4);
        }
        sum = sum * 31 + charge_between(count / 4, count / 2) + (long)all[count - 1].place;
        free(all);
    }
    printf("%ld\n", sum);
    return 0;
}
