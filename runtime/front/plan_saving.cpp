#include "runtime/front/plan_saving.h"

#include <string.h>
#include <unistd.h>

#include "runtime/context/token.h"
#include "runtime/front/dynamic_entries.h"
#include "runtime/platform/executable_name.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::front {

using formats::plan::deeper_pools;
using formats::plan::no_group;
using formats::plan::no_pool;
using formats::plan::PlanContext;
using formats::plan::PlanFlag;
using formats::plan::PlanPrefetch;

namespace {

// Entries in pages of their own: nothing is asked of the heap.
template <class Entry>
class List {
  public:
    explicit List(size_t most)
        : most_(most),
          entries_(most != 0 ? static_cast<Entry*>(platform::map_pages(most * sizeof(Entry))) : nullptr) {}
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    ~List() {
        if (entries_ != nullptr) {
            platform::unmap_pages(entries_, most_ * sizeof(Entry));
        }
    }
    void add(const Entry& entry) {
        if (entries_ != nullptr && count_ < most_) {
            entries_[count_++] = entry;
        }
    }
    const Entry* entries() const { return entries_; }
    size_t count() const { return count_; }

  private:
    size_t most_;
    size_t count_ = 0;
    Entry* entries_;
};

// Generated code has no name that another run would know it by.
bool is_known_again(const uintptr_t* frames, unsigned depth) {
    for (unsigned i = 0; i < depth; ++i) {
        if (!context::is_token(frames[i]) && context::find_module(frames[i]) == nullptr) {
            return false;
        }
    }
    return true;
}

void set_companions(PlanContext& entry, const Colocation& known) {
    const uint32_t objects = known.siblings();
    entry.companion_place = static_cast<uint8_t>(known.place() + 1);
    entry.companion_offset = static_cast<uint8_t>(known.offset());
    entry.companion_objects = static_cast<uint16_t>(objects < UINT16_MAX ? objects : UINT16_MAX);
}

void add_context(List<PlanContext>& contexts, const uintptr_t* frames, unsigned depth, uint32_t pool_bytes,
                 const Colocation* companions = nullptr) {
    if (is_known_again(frames, depth)) {
        PlanContext entry = {};
        entry.hash = context::stable_hash_or_token(frames, depth);
        entry.group = no_group;
        entry.pool_bytes = pool_bytes;
        if (companions != nullptr) {
            set_companions(entry, *companions);
        }
        contexts.add(entry);
    }
}

// Of sites with pools of their own; no_pool of others.
uint32_t pool_bytes_of(const Site& site) {
    if (site.has_common_pool) {
        return no_pool;
    }
    switch (site.kind()) {
        case Site::Kind::pooled:
            return site.pooled.now().wanted_bytes();
        case Site::Kind::colocated:
            return site.colocation.bytes();
        default:
            return no_pool;
    }
}

const Colocation* companions_of(const Site& site) {
    const bool is_known = site.kind() == Site::Kind::colocated && site.colocation.is_found();
    return is_known ? &site.colocation : nullptr;
}

// Pools, and the wrappers that lead to them; the depth of the deepest, and whether any is a token's.
void add_pools(Sites& sites, List<PlanContext>& contexts, heaps::LearnedPlan& learned) {
    sites.for_each([&](const Sites::Contexts::Entry& entry) {
        const uint32_t bytes = pool_bytes_of(entry.value);
        if (bytes == no_pool) {
            return;
        }
        add_context(contexts, entry.frames, entry.depth, bytes, companions_of(entry.value));
        learned.depth = learned.depth < entry.depth ? entry.depth : learned.depth;
        learned.has_tokens = learned.has_tokens || context::is_token(entry.frames[0]);
        unsigned depth = entry.depth;
        for (const Site* below = entry.value.below; below != nullptr; below = below->below) {
            add_context(contexts, entry.frames, --depth, deeper_pools);
        }
    });
}

void add_dynamic_pools(List<PlanContext>& contexts) {
    const uint32_t count = __atomic_load_n(&malloom_dynamic_sites.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && i < DynamicSites::capacity; ++i) {
        const DynamicSite& site = malloom_dynamic_sites.sites[i];
        if (site.state == SiteState::pooled && site.pool_bytes != 0) {
            add_context(contexts, &site.return_address, 1, site.pool_bytes);
        }
    }
}

void add_prefetches(List<PlanPrefetch>& prefetches) {
    const uint32_t count = __atomic_load_n(&malloom_dynamic_prefetches.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && i < DynamicPrefetches::capacity; ++i) {
        const DynamicPrefetch& dynamic = malloom_dynamic_prefetches.prefetches[i];
        const context::Module* module = context::find_module(dynamic.prefetch.offset);
        if (dynamic.is_used != 0 && module != nullptr) {
            PlanPrefetch prefetch = dynamic.prefetch;
            prefetch.module = module->hash;
            prefetch.offset -= module->bias;
            prefetches.add(prefetch);
        }
    }
}

}  // namespace

void PlanSaving::open(const Options& options) {
    if (options.save_plan == nullptr || strlen(options.save_plan) >= sizeof path_) {
        return;
    }
    strcpy(path_, options.save_plan);
    if (options.save_program != nullptr) {
        platform::ExecutableName name;
        name.find();
        is_one_of_several_ = strcmp(name.text, options.save_program) == 0;
        if (!is_one_of_several_) {
            path_[0] = '\0';
        }
        return;
    }
    for (const char* digit = options.save_process; digit != nullptr && *digit != '\0'; ++digit) {
        process_ = 10 * process_ + static_cast<uint64_t>(*digit - '0');
    }
}

bool PlanSaving::is_wanted() const {
    return path_[0] != '\0' && (process_ == 0 || process_ == static_cast<uint64_t>(getpid()));
}

// Two that end at once may both find less: then either is kept.
bool PlanSaving::is_less_than_saved(const heaps::LearnedPlan& learned) const {
    heaps::PlanFile saved;
    if (!saved.open(path_)) {
        return false;
    }
    size_t pools = 0;
    for (size_t i = 0; i < learned.contexts_count; ++i) {
        pools += learned.contexts[i].pool_bytes != deeper_pools;
    }
    const bool is_less =
        saved.header().program == learned.program &&
        pools + learned.prefetches_count < saved.header().pools_count + saved.prefetches_count();
    saved.close();
    return is_less;
}

void PlanSaving::save(Sites& sites, const heaps::PlanFile* base, bool takes_tokens, int descriptor) const {
    const size_t frames = Sites::most_frames;
    List<PlanContext> contexts(frames * size_t{sites.count()} + DynamicSites::capacity);
    List<PlanPrefetch> prefetches(DynamicPrefetches::capacity);
    heaps::LearnedPlan learned;
    add_pools(sites, contexts, learned);
    add_dynamic_pools(contexts);
    add_prefetches(prefetches);
    learned.program = context::program_hash();
    learned.base = base;
    learned.contexts = contexts.entries();
    learned.contexts_count = contexts.count();
    learned.prefetches = prefetches.entries();
    learned.prefetches_count = prefetches.count();
    if (is_one_of_several_ && is_less_than_saved(learned)) {
        return;
    }
    const bool goes_otherwise = base != nullptr && base->says(PlanFlag::by_token) != takes_tokens;
    const char* const problem = goes_otherwise
                                    ? "the plan of this run was learned the other way, with tokens or without"
                                    : heaps::write_plan(learned, path_);
    if (problem != nullptr) {
        platform::Line line;
        line.text("malloom: ").text(path_).text(": ").text(problem).text("; what was learned is lost");
        line.write_to(descriptor);
    }
}

}  // namespace malloom::front
