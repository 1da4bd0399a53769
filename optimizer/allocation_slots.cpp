#include "optimizer/allocation_slots.h"

#include "optimizer/relocations.h"
#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

namespace {

// A module has at most one slot of either kind for each function; more than fit are not redirected.
constexpr size_t capacity = 8192;

AllocationSlot slots[capacity];
size_t count;
void* lock;

void add(void* context, app_pc address, const char* name) {
    const auto* const module = static_cast<const module_data_t*>(context);
    if (function_named(name) == nullptr || count == capacity) return;
    slots[count++] = {address, module->start, module->end};
}

}  // namespace

bool init_allocation_slots() {
    lock = dr_mutex_create();
    return lock != nullptr;
}

void exit_allocation_slots() {
    dr_mutex_destroy(lock);
}

void add_allocation_slots(const module_data_t* module) {
    remove_allocation_slots(module);
    dr_mutex_lock(lock);
    for_each_bound_word(module, add, const_cast<module_data_t*>(module));
    dr_mutex_unlock(lock);
}

void remove_allocation_slots(const module_data_t* module) {
    dr_mutex_lock(lock);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (slots[i].module_start != module->start) slots[kept++] = slots[i];
    }
    count = kept;
    dr_mutex_unlock(lock);
}

bool find_allocation_slot(app_pc address, AllocationSlot& slot) {
    dr_mutex_lock(lock);
    size_t i = 0;
    while (i < count && slots[i].address != address) ++i;
    const bool found = i < count;
    if (found) slot = slots[i];
    dr_mutex_unlock(lock);
    return found;
}

}  // namespace malloom::optimizer
