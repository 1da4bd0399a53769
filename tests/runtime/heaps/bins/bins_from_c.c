/* The header is C of 1999, and an instance can lie in static storage. */
#include "include/malloom/bins.h"

static malloom_bins heap;
static malloom_bins post;
static uintptr_t storage[MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1) / sizeof(uintptr_t) + 1];
static uintptr_t region[128];
static malloom_bins_quick quick;
static malloom_bins_quick_list
    lists[MALLOOM_BINS_QUICK_STORAGE(100, 2 * sizeof(void*)) / sizeof(malloom_bins_quick_list)];

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
    if (malloom_bins_quick_open(&quick, &heap, 100, 2, lists, sizeof lists) != MALLOOM_BINS_OK) {
        return 0;
    }
    object = malloom_bins_quick_alloc(&quick, 100);
    if (object == NULL || malloom_bins_quick_free(&quick, object) != MALLOOM_BINS_OK ||
        malloom_bins_quick_settle(&quick) != 1) {
        return 0;
    }
    object = malloom_bins_alloc(&heap, 100);
    if (object == NULL || malloom_bins_free(&heap, object) != MALLOOM_BINS_OK) {
        return 0;
    }
    malloom_bins_free_later(&post, malloom_bins_alloc(&heap, 100));
    return malloom_bins_collect(&heap, &post, NULL) == 1;
}
