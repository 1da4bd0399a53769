// An address as text, and read again: C promises that this works.
// proves: 16 no
// proves: 24 no
#include "hidden_parents.h"

static char numbers[16][32];
static void hide(int at, struct parent* p) {
    snprintf(numbers[at], sizeof numbers[at], "%p", (void*)p);
}
static struct parent* find(int at) {
    void* p;
    sscanf(numbers[at], "%p", &p);
    return p;
}
