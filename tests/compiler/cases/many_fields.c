// More fields than arrays have room in a pool.
// shows: it has more fields than pools have arrays
// proves: 20000 pool
#include <stdio.h>
#include <stdlib.h>

// clang-format off
#define ONE(n) char f##n;
#define TEN(n) \
    ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) \
    TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
#define THOUSAND(n) \
    HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) HUNDRED(n##4) \
    HUNDRED(n##5) HUNDRED(n##6) HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)
// clang-format on

struct large {
    THOUSAND(1) THOUSAND(2) THOUSAND(3) char rest[17000];
};

static struct large* made[4];

#undef ONE
#define ONE(n) large->f##n = (char)(n + i);

int main(void) {
    long sum = 0;
    for (int i = 0; i < 4; ++i) {
        struct large* large = malloc(sizeof *large);
        THOUSAND(1)
        THOUSAND(2)
        THOUSAND(3)
        made[i] = large;
    }
    for (int i = 0; i < 4; ++i) {
        sum = sum * 31 + made[i]->f1000 + made[i]->f2500 + made[i]->f3999;
    }
    printf("%ld\n", sum);
    return 0;
}
