// logic_covers FUNCTIONS VARIABLES CUBES [SEED [text]]: finds small covers of random logic functions, as
// espresso does: cubes expand, redundant ones are left out, the rest shrinks and expands again as long as
// that helps (Brayton et al. 1984). In the character of espresso, which Li, Mohanty and Kavi's table 3 gives
// objects of 250 bytes: each step of the recursions makes a cover, of any number of cubes, and releases it
// again.
//
// A function is true in CUBES random cubes, and may be anything in a quarter as many. Prints how many cubes
// and literals there were and are, and a check sum of the covers; with `text` also the cubes of each
// function, as true, as unspecified, and as found.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/logic_covers/minimize.h"
#include "workloads/random.h"

enum { most_functions = 100000, most_cubes = 1000, unspecified_each = 4, literal_each = 3 };

/// Each variable has a literal in two of three.
static struct cover* random_cover(uint32_t variables, uint32_t cubes, uint64_t* seed) {
    struct cover* made = new_cover(variables, cubes);
    for (uint32_t i = 0; i < cubes; ++i) {
        uint32_t cube[most_words];
        memset(cube, UINT8_MAX, sizeof cube);
        for (uint32_t variable = 0; variable < variables; ++variable) {
            set_literal(cube, variable, 1 + (uint32_t)random_below(seed, literal_each));
        }
        made = with_cube(made, cube);
    }
    return made;
}

static void print_cover(const char* what, const struct cover* cover) {
    for (uint32_t i = 0; i < cover->count; ++i) {
        printf("%s ", what);
        for (uint32_t variable = 0; variable < cover->variables; ++variable) {
            putchar("?01-"[literal_of(cube_in(cover, i), variable)]);
        }
        printf("\n");
    }
}

struct totals {
    unsigned long cubes, literals, cubes_found, literals_found;
    uint32_t sum;
};

static void add_function(struct totals* totals, const struct cover* on, const struct cover* found) {
    totals->cubes += on->count;
    totals->literals += literals_of(on);
    totals->cubes_found += found->count;
    totals->literals_found += literals_of(found);
    for (uint32_t i = 0; i < (uint32_t)found->count * found->words; ++i) {
        totals->sum = (totals->sum ^ found->bits[i]) * UINT32_C(16777619);
    }
}

static struct totals run(long functions, uint32_t variables, uint32_t cubes, uint64_t seed, bool prints) {
    struct totals totals = {.sum = UINT32_C(2166136261)};
    for (long i = 0; i < functions; ++i) {
        struct cover* on = random_cover(variables, cubes, &seed);
        struct cover* unspecified = random_cover(variables, cubes / unspecified_each, &seed);
        struct cover* found = minimized(on, unspecified);
        if (prints) {
            printf("function %ld\n", i);
            print_cover("true", on);
            print_cover("unspecified", unspecified);
            print_cover("found", found);
        }
        add_function(&totals, on, found);
        free(on);
        free(unspecified);
        free(found);
    }
    return totals;
}

int main(int count, char** arguments) {
    const long functions = count >= 4 ? atol(arguments[1]) : 0,
               variables = count >= 4 ? atol(arguments[2]) : 0;
    const long cubes = count >= 4 ? atol(arguments[3]) : 0;
    const uint64_t seed = random_begin(count >= 5 ? strtoul(arguments[4], NULL, 10) : 1);
    const bool prints = count == 6 && strcmp(arguments[5], "text") == 0;
    if (functions < 1 || functions > most_functions || variables < 1 || variables > most_variables ||
        cubes < 1 || cubes > most_cubes || count > (prints ? 6 : 5)) {
        fprintf(stderr, "usage: logic_covers FUNCTIONS VARIABLES CUBES [SEED [text]] (at most %d, %d, %d)\n",
                most_functions, most_variables, most_cubes);
        return 2;
    }
    const struct totals totals = run(functions, (uint32_t)variables, (uint32_t)cubes, seed, prints);
    printf("functions %ld cubes %lu literals %lu found cubes %lu literals %lu sum %08lx\n", functions,
           totals.cubes, totals.literals, totals.cubes_found, totals.literals_found,
           (unsigned long)totals.sum);
    return 0;
}
