#include "optimizer/run_time_library.h"

#include <string.h>

#include "dynamorio/client.h"

namespace malloom::optimizer {

namespace {

struct Names {
    const char* monitored;
    const char* pool;
};

AllocationFunction functions[] = {
#define REQUEST(symbol, site_register, monitored, pool) {symbol, site_register, nullptr, nullptr, nullptr},
#define RELEASE(symbol) {symbol, DR_REG_NULL, nullptr, nullptr, nullptr},
#include "optimizer/allocation_functions.def"
#undef REQUEST
#undef RELEASE
};

constexpr Names entries[] = {
#define REQUEST(symbol, site_register, monitored, pool) {monitored, pool},
#define RELEASE(symbol) {nullptr, nullptr},
#include "optimizer/allocation_functions.def"
#undef REQUEST
#undef RELEASE
};

struct RunTime {
    dynamorio::AddressRange code;
    app_pc disagreement;
    front::DynamicSites* sites;
    front::DynamicPrefetches* prefetches;
    front::DynamicWait* awaited;
};
RunTime run_time;

app_pc exported(const module_data_t* module, const char* name) {
    return name != nullptr ? dynamorio::exported(module, name) : nullptr;
}

void find_functions(const module_data_t* module) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        functions[i].original = exported(module, functions[i].symbol);
        functions[i].monitored = exported(module, entries[i].monitored);
        functions[i].pool = exported(module, entries[i].pool);
    }
}

}  // namespace

void find_run_time(const module_data_t* module) {
    auto* const table = exported(module, "malloom_dynamic_sites");
    if (table == nullptr) return;
    find_functions(module);
    run_time = {dynamorio::range_of(module), exported(module, "malloom_site_disagrees"),
                reinterpret_cast<front::DynamicSites*>(table),
                reinterpret_cast<front::DynamicPrefetches*>(exported(module, "malloom_dynamic_prefetches")),
                reinterpret_cast<front::DynamicWait*>(exported(module, "malloom_dynamic_wait"))};
}

void forget_run_time(const module_data_t* module) {
    if (module->start == run_time.code.start) run_time = {};
}

bool has_run_time() {
    return run_time.sites != nullptr;
}

bool in_run_time(app_pc pc) {
    return run_time.code.contains(pc);
}

const AllocationFunction* function_named(const char* symbol) {
    for (const AllocationFunction& function : functions) {
        if (strcmp(function.symbol, symbol) == 0) return &function;
    }
    return nullptr;
}

const AllocationFunction* function_at(app_pc address) {
    if (!in_run_time(address)) return nullptr;
    for (const AllocationFunction& function : functions) {
        if (function.original == address) return &function;
    }
    return nullptr;
}

front::DynamicSites* sites() {
    return run_time.sites;
}

front::DynamicPrefetches* prefetches() {
    return run_time.prefetches;
}

front::DynamicWait* awaited() {
    return run_time.awaited;
}

app_pc disagreement() {
    return run_time.disagreement;
}

}  // namespace malloom::optimizer
