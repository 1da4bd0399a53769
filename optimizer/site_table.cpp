#include "optimizer/site_table.h"

namespace malloom::optimizer {

namespace {

// Open addressing with linear probing, twice the places that are ever taken. 0: empty; else 1 + the index.
constexpr size_t places = 2 * front::DynamicSites::capacity;

uint32_t index_of[places];
void* lock;

size_t place_of(uintptr_t return_address) {
    return (return_address * 0x9e3779b97f4a7c15) >> 32 & (places - 1);
}

front::DynamicSite* add(uint32_t& place, uintptr_t return_address) {
    front::DynamicSites& table = *sites();
    const uint32_t index = table.count;
    if (index == front::DynamicSites::capacity) return nullptr;
    table.sites[index].return_address = return_address;
    __atomic_store_n(&table.count, index + 1, __ATOMIC_RELEASE);
    place = index + 1;
    return &table.sites[index];
}

front::DynamicSite* find_or_add(uintptr_t return_address) {
    for (size_t place = place_of(return_address);; place = (place + 1) % places) {
        if (index_of[place] == 0) return add(index_of[place], return_address);
        front::DynamicSite& site = sites()->sites[index_of[place] - 1];
        if (site.return_address == return_address) return &site;
    }
}

}  // namespace

bool init_site_table() {
    lock = dr_mutex_create();
    return lock != nullptr;
}

void exit_site_table() {
    dr_mutex_destroy(lock);
}

front::DynamicSite* site_of(app_pc return_address) {
    dr_mutex_lock(lock);
    front::DynamicSite* const site = find_or_add(reinterpret_cast<uintptr_t>(return_address));
    dr_mutex_unlock(lock);
    return site;
}

}  // namespace malloom::optimizer
