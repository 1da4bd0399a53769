// An address below 2^53 survives as a number with a fraction.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include "hidden_parents.h"

static double numbers[16];
static void hide(int at, struct parent* p) {
    numbers[at] = (double)(uintptr_t)p;
}
static struct parent* find(int at) {
    return (struct parent*)(uintptr_t)numbers[at];
}
