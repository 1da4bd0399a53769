#include "runtime/front/planned_prefetches.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/context/loaded_object.h"
#include "runtime/context/modules.h"
#include "runtime/context/unwind_section.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

using codegen::x86_64::LoadSite;
using formats::plan::PlanPrefetch;

constinit PlannedPrefetches planned_prefetches;

namespace {

// A plan for more is not for its program's hot loops; start-up takes microseconds for each.
constexpr uint64_t most_prefetches = 4096;

struct Search {
    const PlanPrefetch* prefetches;
    uint64_t count;
    LoadSite* sites;
    size_t found;
};

/// One object as the loader lists it.
struct ListedObject {
    const dl_phdr_info* headers;
    context::LoadedObject object;
};

// Where code can be read from the address that the file's headers give: one past it, or 0.
uintptr_t end_of_code(const ListedObject& listed, uint64_t offset, int& protection) {
    for (size_t i = 0; i < listed.headers->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = listed.headers->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && (segment.p_flags & (PF_R | PF_X)) == (PF_R | PF_X) &&
            offset >= segment.p_vaddr && offset - segment.p_vaddr < segment.p_filesz) {
            protection = PROT_READ | PROT_EXEC | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0);
            return listed.object.bias + segment.p_vaddr + segment.p_filesz;
        }
    }
    return 0;
}

// Whether the code at the prefetch's place is the code it was learned from, in a function that is known.
bool locate(const ListedObject& listed, const PlanPrefetch& prefetch, LoadSite& site) {
    site.prefetch = &prefetch;
    site.address = listed.object.bias + prefetch.offset;
    site.end = end_of_code(listed, prefetch.offset, site.protection);
    if (site.end == 0 || site.end - site.address < sizeof prefetch.code ||
        memcmp(reinterpret_cast<const void*>(site.address), &prefetch.code, sizeof prefetch.code) != 0) {
        return false;
    }
    // As if the load were a call of one byte.
    site.function = context::describe_frame(listed.object.unwind, site.address + 1).function;
    return site.function != 0 && site.function <= site.address;
}

bool is_malloom(const context::LoadedObject& object) {
    const auto here = reinterpret_cast<uintptr_t>(&is_malloom);
    return here >= object.base && here < object.end;
}

int visit(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    ListedObject listed = {info, {}};
    const uintptr_t some_address = info->dlpi_addr + info->dlpi_phdr[0].p_vaddr;
    if (!context::find_loaded_object(some_address, listed.object) || is_malloom(listed.object)) {
        return 0;
    }
    const context::Module* module = context::register_module(listed.object);
    for (uint64_t i = 0; module != nullptr && i < search.count; ++i) {
        const PlanPrefetch& prefetch = search.prefetches[i];
        if (prefetch.module == module->hash && heaps::PlanFile::is_sound(prefetch) &&
            search.found < search.count && locate(listed, prefetch, search.sites[search.found])) {
            ++search.found;
        }
    }
    return 0;
}

}  // namespace

void PlannedPrefetches::put_in() {
    if (plan_ == nullptr || plan_->prefetches_count() == 0) {
        return;
    }
    const uint64_t wanted = plan_->prefetches_count();
    const uint64_t count = wanted < most_prefetches ? wanted : most_prefetches;
    auto* sites = static_cast<LoadSite*>(platform::map_pages(count * sizeof(LoadSite)));
    if (sites == nullptr) {
        return;
    }
    Search search = {plan_->prefetches(), count, sites, 0};
    dl_iterate_phdr(visit, &search);
    patched_ = codegen::x86_64::patch_loads(sites, search.found);
    platform::unmap_pages(sites, count * sizeof(LoadSite));
}

void PlannedPrefetches::describe(platform::Line& line) const {
    if (plan_ == nullptr || plan_->prefetches_count() == 0) {
        return;
    }
    line.text("; prefetches ").number(patched_.loads).text(" of ").number(plan_->prefetches_count());
    line.text(" (").number(patched_.pages).text(" pages");
    if (patched_.problem != nullptr) {
        line.text("; ").text(patched_.problem);
    }
    line.text(")");
}

}  // namespace malloom::front
