#include "optimizer/allocation_calls.h"

#include "optimizer/allocation_slots.h"
#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

using front::DynamicSite;
using front::DynamicSites;
using front::SiteState;

namespace {

uint32_t agreement;
uint64_t given_up;

// The table of call sites in libmalloom.so, by return address: open addressing with linear probing, twice the
// places that are ever taken. 0: empty; else 1 + the index.
constexpr size_t site_places = 2 * DynamicSites::capacity;

uint32_t index_of_place[site_places];
void* sites_lock;

size_t place_of(uintptr_t return_address) {
    return (return_address * 0x9e3779b97f4a7c15) >> 32 & (site_places - 1);
}

DynamicSite* add_site(uint32_t& place, uintptr_t return_address) {
    DynamicSites& table = *sites();
    const uint32_t index = table.count;
    if (index == DynamicSites::capacity) return nullptr;
    table.sites[index].return_address = return_address;
    __atomic_store_n(&table.count, index + 1, __ATOMIC_RELEASE);
    place = index + 1;
    return &table.sites[index];
}

DynamicSite* find_or_add_site(uintptr_t return_address) {
    for (size_t place = place_of(return_address);; place = (place + 1) % site_places) {
        if (index_of_place[place] == 0) return add_site(index_of_place[place], return_address);
        DynamicSite& site = sites()->sites[index_of_place[place] - 1];
        if (site.return_address == return_address) return &site;
    }
}

// A new one where there is none yet; nullptr when the table is full.
DynamicSite* site_of(app_pc return_address) {
    dr_mutex_lock(sites_lock);
    DynamicSite* const site = find_or_add_site(reinterpret_cast<uintptr_t>(return_address));
    dr_mutex_unlock(sites_lock);
    return site;
}

SiteState state_of(const DynamicSite& site) {
    SiteState state;
    __atomic_load(&site.state, &state, __ATOMIC_RELAXED);
    return state;
}

void set_state(DynamicSite& site, SiteState state) {
    __atomic_store(&site.state, &state, __ATOMIC_RELAXED);
}

// Clean call, in a block whose call waits for the loader: once its slot is bound, the block is built again.
// Each thread deletes its own, as code is not shared (-thread_private).
void rebuild_once_bound(app_pc slot, void* tag) {
    if (is_bound(slot)) dr_delete_fragment(dr_get_current_drcontext(), tag);
}

// Clean call, in malloom_site_disagrees. Only what is built from now on calls the original function. Code
// that exists goes on asking the pool's entry, which serves all sizes: a flush of it (dr_delay_flush_region)
// while other threads run it sends them to wrong places.
void give_up(DynamicSite* site) {
    SiteState state = SiteState::given_up;
    __atomic_exchange(&site->state, &state, &state, __ATOMIC_RELAXED);
    if (state != SiteState::given_up) __atomic_fetch_add(&given_up, 1, __ATOMIC_RELAXED);
}

// A trace takes a monitor that is valid for the pool's; what a trace has found once holds for blocks too.
void promote(DynamicSite& site) {
    if (state_of(site) != SiteState::monitored) return;
    if (__atomic_load_n(&site.agreeing, __ATOMIC_RELAXED) >= agreement) set_state(site, SiteState::pooled);
}

app_pc entry_for(const AllocationFunction& function, const DynamicSite& site, bool for_trace) {
    switch (state_of(site)) {
        case SiteState::pooled:
            return function.pool;
        case SiteState::monitored:
            return for_trace ? function.original : function.monitored;
        default:
            return function.original;
    }
}

// A block's indirect call becomes a direct one: DynamoRIO takes the return address from the code of the
// program.
void set_target(void* drcontext, instrlist_t* block, instr_t* call, app_pc target) {
    if (instr_get_opcode(call) != OP_call_ind) {
        instr_set_target(call, opnd_create_pc(target));
        return;
    }
    instr_t* const direct = INSTR_CREATE_call(drcontext, opnd_create_pc(target));
    instr_set_translation(direct, instr_get_app_pc(call));
    instrlist_replace(block, call, direct);
    instr_destroy(drcontext, call);
}

// The instruction belongs to the program, as the call does, so that a thread is never moved between the two.
void load_site(void* drcontext, instrlist_t* block, instr_t* call, reg_id_t into, const DynamicSite* site) {
    instr_t* const load = INSTR_CREATE_mov_imm(drcontext, opnd_create_reg(into),
                                               OPND_CREATE_INT64(reinterpret_cast<int64_t>(site)));
    instr_set_translation(load, instr_get_app_pc(call));
    instrlist_preinsert(block, call, load);
}

// Translations are stored, because building the block anew could meet another state of the site.
dr_emit_flags_t redirect(void* drcontext, instrlist_t* block, instr_t* call,
                         const AllocationFunction& function, bool for_trace) {
    app_pc const return_address = decode_next_pc(drcontext, instr_get_app_pc(call));
    DynamicSite* const site = function.is_request() ? site_of(return_address) : nullptr;
    app_pc target = function.original;
    if (site != nullptr) {
        if (for_trace) promote(*site);
        target = entry_for(function, *site, for_trace);
    }
    if (target != function.original) load_site(drcontext, block, call, function.site_register, site);
    set_target(drcontext, block, call, target);
    return DR_EMIT_STORE_TRANSLATIONS;
}

}  // namespace

bool init_allocation_calls(const Options& options) {
    agreement = static_cast<uint32_t>(options.agreement);
    sites_lock = dr_mutex_create();
    return sites_lock != nullptr && init_allocation_slots();
}

void exit_allocation_calls() {
    exit_allocation_slots();
    dr_mutex_destroy(sites_lock);
}

dr_emit_flags_t redirect_allocation(void* drcontext, void* tag, instrlist_t* block, bool for_trace) {
    app_pc const start = dr_fragment_app_pc(tag);
    if (start == disagreement()) {
        dr_insert_clean_call(drcontext, block, instrlist_first(block), reinterpret_cast<void*>(give_up),
                             false, 1, opnd_create_reg(DR_REG_XDI));
        return DR_EMIT_STORE_TRANSLATIONS;
    }
    if (in_run_time(start)) return DR_EMIT_DEFAULT;
    instr_t* const last = instrlist_last_app(block);
    const CalledFunction called = called_function(last);
    if (called.function != nullptr) return redirect(drcontext, block, last, *called.function, for_trace);
    if (called.unbound_slot == nullptr) return DR_EMIT_DEFAULT;
    dr_insert_clean_call(drcontext, block, instrlist_first(block),
                         reinterpret_cast<void*>(rebuild_once_bound), false, 2,
                         OPND_CREATE_INTPTR(called.unbound_slot), OPND_CREATE_INTPTR(tag));
    return DR_EMIT_STORE_TRANSLATIONS;
}

uint64_t sites_given_up() {
    return given_up;
}

}  // namespace malloom::optimizer
