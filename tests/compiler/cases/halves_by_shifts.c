// A pointer is kept as two numbers of 32 bits, and put together by shifts.
// proves: 16 no  reason: a calculated address may lead to it
// proves: 24 no
#include "hidden_parents.h"

static uint32_t low[16], high[16];
static void hide(int at, struct parent* p) {
    low[at] = (uint32_t)(uintptr_t)p;
    high[15 - at] = (uint32_t)((uintptr_t)p >> 32);
}
static struct parent* find(int at) {
    return (struct parent*)((uintptr_t)high[15 - at] << 32 | low[at]);
}
