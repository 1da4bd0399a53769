/* The header is C of 1999, and an instance can lie in static storage. */
#include "include/malloom/bins.h"

static malloom_bins heap;
static uintptr_t storage[MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1) / sizeof(uintptr_t) + 1];
static uintptr_t region[128];

int bins_from_c(void);

/* Whether an object comes and goes. */
int bins_from_c(void) {
    malloom_bins_settings settings = {0};
    void* object;
    settings.storage = storage;
    settings.storage_bytes = sizeof storage;
    if (malloom_bins_open(&heap, &settings) != MALLOOM_BINS_OK ||
        malloom_bins_add_region(&heap, region, sizeof region, 0) != MALLOOM_BINS_OK) {
        return 0;
    }
    object = malloom_bins_alloc(&heap, 100);
    return object != NULL && malloom_bins_free(&heap, object) == MALLOOM_BINS_OK;
}
