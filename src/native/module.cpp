// malloom._native: the analysis core. Each folder of the core binds itself.
#include <nanobind/nanobind.h>

#include "src/native/bindings.h"

NB_MODULE(_native, module) {
    // First, as the sources of other folders derive from what this one binds.
    malloom::native::bind_accesses(module);
    malloom::native::bind_bins(module);
    malloom::native::bind_profile(module);
    malloom::native::bind_survey(module);
    malloom::native::bind_report(module);
    malloom::native::bind_fields(module);
    malloom::native::bind_debug(module);
    malloom::native::bind_orders(module);
    malloom::native::bind_packing(module);
    malloom::native::bind_pages(module);
    malloom::native::bind_plan(module);
    malloom::native::bind_simulation(module);
    malloom::native::bind_latency(module);
}
