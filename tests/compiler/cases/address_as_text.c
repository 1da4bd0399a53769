// An address as decimal text.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include "hidden_parents.h"

static char numbers[16][32];
static void hide(int at, struct parent* p) {
    snprintf(numbers[at], sizeof numbers[at], "%lu", (unsigned long)(uintptr_t)p);
}
static struct parent* find(int at) {
    return (struct parent*)strtoul(numbers[at], NULL, 10);
}
