// Which fields are read often only a run can tell: both walks look alike in the code.
#include <stdio.h>
#include <stdlib.h>

#ifndef MAKE
#define MAKE (struct item*)malloc(sizeof(struct item))
#define RELEASE free
#endif

struct item {
    struct item* next;
    long often;
    long seldom_a, seldom_b, seldom_c;
    long never_a, never_b, never_c;
#ifdef LARGER
    long added;
#endif
};

static struct item* make(struct item* next, long i) {
    struct item* made = MAKE;
    made->next = next;
    made->often = i;
    made->seldom_a = i * 3;
    made->seldom_b = i * 5;
    made->seldom_c = i * 7;
    made->never_a = i * 11;
    made->never_b = i * 13;
    made->never_c = i * 17;
#ifdef LARGER
    made->added = i;
#endif
    return made;
}

static long sum_often(const struct item* list) {
    long sum = 0;
    for (; list != NULL; list = list->next) sum += list->often;
    return sum;
}

static long sum_seldom(const struct item* list) {
    long sum = 0;
    for (; list != NULL; list = list->next) sum += list->seldom_a + list->seldom_b + list->seldom_c;
    return sum;
}

static long sum_never(const struct item* list) {
    long sum = 0;
    for (; list != NULL; list = list->next) sum += list->never_a ^ list->never_b ^ list->never_c;
    return sum;
}

static void release(struct item* list) {
    while (list != NULL) {
        struct item* next = list->next;
        RELEASE(list);
        list = next;
    }
}

int main(int count, char** words) {
    const long items = count > 1 ? atol(words[1]) : 1000;
    const long often = count > 2 ? atol(words[2]) : 40;
    const long seldom = count > 3 ? atol(words[3]) : 1;
    const long never = count > 4 ? atol(words[4]) : 0;
    struct item* list = NULL;
    for (long i = 0; i < items; ++i) list = make(list, i);
    unsigned long sum = 0;
    for (long pass = 0; pass < often; ++pass) sum = sum * 3 + (unsigned long)sum_often(list);
    for (long pass = 0; pass < seldom; ++pass) sum = sum * 3 + (unsigned long)sum_seldom(list);
    for (long pass = 0; pass < never; ++pass) sum = sum * 3 + (unsigned long)sum_never(list);
    release(list);
    printf("%lu\n", sum);
    return 0;
}
