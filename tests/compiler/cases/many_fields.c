// More fields than arrays have room in a pool.
// shows: too_many_fields
// proves: 20000 pool
#include <stdio.h>
#include <stdlib.h>

// clang-format off
#define ONE(n) char f##n;
#define TEN(n) \
    ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) \
    TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
#define ALL HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6)
// clang-format on

struct large {
    ALL char rest[19400];
};

static struct large* made[4];

#undef ONE
#define ONE(n) large->f##n = (char)(n + i);

int main(void) {
    long sum = 0;
    for (int i = 0; i < 4; ++i) {
        struct large* large = malloc(sizeof *large);
        made[i] = large;
        ALL
    }
    for (int i = 0; i < 4; ++i) {
        sum = sum * 31 + made[i]->f100 + made[i]->f455 + made[i]->f699;
    }
    printf("%ld\n", sum);
    return 0;
}
