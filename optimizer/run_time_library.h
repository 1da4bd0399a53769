// libmalloom.so in the program: where its functions and tables are.
#pragma once

#include <dr_api.h>

#include "runtime/front/dynamic_entries.h"

namespace malloom::optimizer {

/// One function of the malloc family and what stands for it. Those that release have neither entry.
struct AllocationFunction {
    const char* symbol;
    reg_id_t site_register;
    app_pc original;
    app_pc monitored;
    app_pc pool;

    bool is_request() const { return monitored != nullptr; }
};

/// Looks whether a loaded module is libmalloom.so. From the module load event.
void find_run_time(const module_data_t* module);

/// From the module unload event.
void forget_run_time(const module_data_t* module);

/// Whether it is there; without it no call is redirected.
bool has_run_time();

/// Whether the code at `pc` is libmalloom.so's, whose own calls are left alone.
bool in_run_time(app_pc pc);

/// The functions as libmalloom.so has them; the first one whose symbol or address fits, or nullptr.
const AllocationFunction* function_named(const char* symbol);
const AllocationFunction* function_at(app_pc address);

/// Null without libmalloom.so.
front::DynamicSites* sites();
front::DynamicPrefetches* prefetches();
front::DynamicWait* awaited();

/// Its function that says that a site's requests disagree; null without libmalloom.so.
app_pc disagreement();

}  // namespace malloom::optimizer
