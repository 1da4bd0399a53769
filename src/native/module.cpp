// malloom._native: the analysis core. Each room of the core binds itself.
#include <nanobind/nanobind.h>

#include "src/native/bindings.h"

NB_MODULE(_native, module) {
    malloom::native::bind_profile(module);
    malloom::native::bind_survey(module);
    malloom::native::bind_report(module);
    malloom::native::bind_orders(module);
    malloom::native::bind_packing(module);
    malloom::native::bind_simulation(module);
    malloom::native::bind_recovery(module);
    malloom::native::bind_latency(module);
}
