// What each folder of the core adds to malloom._native.
#pragma once

#include <nanobind/nanobind.h>

namespace malloom::native {

void bind_accesses(nanobind::module_& module);
void bind_bins(nanobind::module_& module);
void bind_profile(nanobind::module_& module);
void bind_survey(nanobind::module_& module);
void bind_report(nanobind::module_& module);
void bind_fields(nanobind::module_& module);
void bind_debug(nanobind::module_& module);
void bind_orders(nanobind::module_& module);
void bind_packing(nanobind::module_& module);
void bind_pages(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_latency(nanobind::module_& module);

}  // namespace malloom::native
