// An address packed with a tag into 128 bits.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include "hidden_parents.h"

static unsigned __int128 numbers[16];
static void hide(int at, struct parent* p) {
    numbers[at] = (unsigned __int128)(uintptr_t)p << 40 | (unsigned)at;
}
static struct parent* find(int at) {
    return (struct parent*)(uintptr_t)(numbers[at] >> 40);
}
