// Arrays that are requested in each round by another function, which the case that includes this has.
#include <stdio.h>
#include <stdlib.h>

struct item {
    long weight;
    int from, to;
    struct item* cold;
};

static struct item* make(size_t count);

int main(int words, char** word) {
    (void)word;
    long sum = 0;
    for (size_t count = 1; count <= 100 * (size_t)words; ++count) {
        struct item* all = make(count);
        for (size_t i = 0; i < count; ++i) {
            all[i].weight = (long)i;
            all[i].from = (int)i;
            all[i].to = 1;
            all[i].cold = &all[i / 2];
        }
        for (size_t i = 0; i < count; ++i) {
            sum = sum * 3 + all[i].weight + all[i].to + all[i].cold->from;
        }
        free(all);
    }
    printf("%ld\n", sum);
    return 0;
}
