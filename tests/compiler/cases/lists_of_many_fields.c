// Lists of as many fields as arrays of a pool have places in a page for, and more. A walk of its own reads
// each field, so that it lies in an array of its own; and the pools are full.
// proves: 152 split
// proves: 160 split
// proves: 264 split
// proves: 296 split
#include <stdio.h>
#include <stdlib.h>

// clang-format off
#define TEN(USE, n) \
    USE(n##0) USE(n##1) USE(n##2) USE(n##3) USE(n##4) USE(n##5) USE(n##6) USE(n##7) USE(n##8) USE(n##9)
#define EIGHTEEN(USE) TEN(USE, 1) USE(20) USE(21) USE(22) USE(23) USE(24) USE(25) USE(26) USE(27)
#define NINETEEN(USE) EIGHTEEN(USE) USE(28)
#define THIRTY_TWO(USE) TEN(USE, 1) TEN(USE, 2) TEN(USE, 3) USE(40) USE(41)
#define THIRTY_SIX(USE) THIRTY_TWO(USE) USE(42) USE(43) USE(44) USE(45)
// clang-format on

#define DECLARE(n) long f##n;
#define SET(n) p->f##n = i * n;
#define WALK(n) \
    for (p = first; p != NULL; p = p->next) sum = sum * 31 + (unsigned long)p->f##n;

static unsigned long sum;

#define LIST(name, FIELDS)                        \
    struct name {                                 \
        struct name* next;                        \
        FIELDS(DECLARE)                           \
    };                                            \
    static void use_##name(void) {                \
        struct name *first = NULL, *p;            \
        for (long i = 0; i < 15000; ++i) {        \
            p = malloc(sizeof *p);                \
            FIELDS(SET)                           \
            p->next = first;                      \
            first = p;                            \
        }                                         \
        for (int round = 0; round < 2; ++round) { \
            FIELDS(WALK)                          \
        }                                         \
    }

LIST(eighteen, EIGHTEEN)
LIST(nineteen, NINETEEN)
LIST(thirty_two, THIRTY_TWO)
LIST(thirty_six, THIRTY_SIX)

int main(void) {
    use_eighteen();
    use_nineteen();
    use_thirty_two();
    use_thirty_six();
    printf("%lu\n", sum);
    return 0;
}
