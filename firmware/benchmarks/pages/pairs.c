/* pairs PAIRS: what a malloc and its free take, calls included and the loop around them not, in hundredths of
 * a cycle: one object at a time, and twenty that are released in the order in which they were made. Every
 * number is of the third time, when the code is in the cache. */
#include <stdlib.h>

#include "firmware/board.h"

enum { together = 20, bytes = 24, times = 3, most_pairs = 1000000 };

static int pairs;

static void* volatile objects[together];

/* Places are volatile, so that no compiler leaves a call out. */
static void take(int place) {
    objects[place] = malloc(bytes);
}
static void give(int place) {
    free(objects[place]);
}

static uint32_t without(int at_once) {
    const uint32_t begin = board_cycles();
    for (int pair = 0; pair < pairs; pair += at_once) {
        for (int place = 0; place < at_once; ++place) objects[place] = NULL;
        for (int place = 0; place < at_once; ++place) (void)objects[place];
    }
    return board_cycles() - begin;
}

static uint32_t with(int at_once) {
    const uint32_t begin = board_cycles();
    for (int pair = 0; pair < pairs; pair += at_once) {
        for (int place = 0; place < at_once; ++place) take(place);
        for (int place = 0; place < at_once; ++place) give(place);
    }
    return board_cycles() - begin;
}

static void tell(const char* name, int at_once) {
    uint32_t cycles = 0;
    for (int time = 0; time < times; ++time) cycles = with(at_once) - without(at_once);
    board_write(name);
    board_write_number(cycles * 100 / pairs);
}

int program_main(int count, char** arguments) {
    pairs = count == 2 ? atoi(arguments[1]) : 0;
    if (pairs < together || pairs > most_pairs) {
        board_write("usage: pairs PAIRS\n");
        return 2;
    }
    tell("one ", 1);
    tell(" twenty ", together);
    board_write("\n");
    return 0;
}
