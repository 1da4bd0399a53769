#include "runtime/front/misuse.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/context/call_chain.h"
#include "runtime/context/token.h"
#include "runtime/front/dynamic_entries.h"
#include "runtime/platform/output.h"

namespace malloom::front {

using heaps::FallbackMisuse;
using heaps::Misuse;
using platform::Line;

namespace {

Sites* sites_of_process = nullptr;

// As "function+0x12 (file+0x1234)"; what lies in no file by its address, a compiler's token by its number.
void name_place(Line& line, uintptr_t address) {
    if (context::is_token(address)) {
        line.text("token ").hex(context::token_of(address));
        return;
    }
    Dl_info function = {};
    if (dladdr(reinterpret_cast<void*>(address), &function) != 0 && function.dli_sname != nullptr) {
        line.text(function.dli_sname).text("+");
        line.hex(address - reinterpret_cast<uintptr_t>(function.dli_saddr)).text(" ");
    }
    const context::Module* module = context::find_module(address);
    if (module == nullptr) {
        line.hex(address);
        return;
    }
    const char* name = strrchr(module->path, '/');
    line.text("(").text(name != nullptr ? name + 1 : module->path).text("+");
    line.hex(address - module->bias).text(")");
}

/// The sites that may have requested an object, as the line says them.
class Contexts {
  public:
    explicit Contexts(Line& line) : line_(line) {}

    void name(uintptr_t return_address) {
        if (count_ < most_named) {
            line_.text(count_ == 0 ? ", requested at " : " or ");
            name_place(line_, return_address);
        }
        ++count_;
    }
    bool are_found() const { return count_ != 0; }
    void end(bool are_all) {
        if (count_ > most_named) {
            line_.text(" or ").number(count_ - most_named).text(" other sites of this size");
        }
        if (!are_all && count_ != 0) {
            line_.text(" or a site that is not known");
        }
    }

  private:
    static constexpr unsigned most_named = 3;
    Line& line_;
    unsigned count_ = 0;
};

// That the site asks for, or asked for when it was looked at last.
uint32_t bytes_of(const Site& site) {
    const uint32_t pooled = site.pooled.now().wanted_bytes();
    const uint32_t colocated = site.colocation.bytes();
    return pooled != formats::plan::no_pool      ? pooled
           : colocated != formats::plan::no_pool ? colocated
                                                 : site.monitor.last_bytes();
}

template <class Fits>
void name_sites(Contexts& requesters, Fits fits) {
    sites_of_process->for_each([&](const Sites::Contexts::Entry& entry) {
        const Site& site = entry.value;
        const SitePool pool = site.pooled.now();
        if (fits(pool.is_in_mimalloc() ? heaps::PoolHeap::none : pool.client, bytes_of(site))) {
            requesters.name(site.return_address);
        }
    });
    const uint32_t dynamic = __atomic_load_n(&malloom_dynamic_sites.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < dynamic && i < DynamicSites::capacity; ++i) {
        const DynamicSite& site = malloom_dynamic_sites.sites[i];
        if (site.pool != 0 && fits(DynamicSite::client(site.pool), site.pool_bytes)) {
            requesters.name(site.return_address);
        }
    }
}

// The client's own, else all of its size: these share pools until they get their own.
void name_requesters(Line& line, uint32_t client) {
    const size_t chunk_bytes = process_heaps.pools.heap.chunk_bytes(client);
    if (chunk_bytes == 0) {
        return;
    }
    const bool is_common = client <= heaps::PoolHeap::small_common(heaps::PoolHeap::most_small);
    Contexts requesters(line);
    name_sites(requesters, [&](uint32_t known, size_t) { return known == client; });
    if (is_common || !requesters.are_found()) {
        name_sites(requesters, [&](uint32_t known, size_t bytes) {
            return known != client && process_heaps.pools.heap.chunk_for(bytes) == chunk_bytes;
        });
    }
    requesters.end(!is_common || !sites_of_process->has_served_by_size());
}

// The call of the program's that led here.
void name_call(Line& line, const char* what) {
    uintptr_t frames[context::max_depth];
    const unsigned count = context::walk_call_chain(context::current_caller(), context::max_depth, frames);
    const context::Module* own = context::find_module(reinterpret_cast<uintptr_t>(&name_call));
    for (unsigned i = 0; i < count; ++i) {
        if (context::find_module(frames[i]) != own) {
            line.text(what);
            name_place(line, frames[i]);
            return;
        }
    }
}

Line line_about(const void* object) {
    Line line;
    line.text("malloom: free of ").hex(reinterpret_cast<uintptr_t>(object));
    return line;
}

[[noreturn]] void end_program(Line& line, const char* call = ", freed at ") {
    name_call(line, call);
    line.write_to(STDERR_FILENO);
    abort();
}

void end_by_misuse(Misuse misuse, const void* object, uint32_t client) {
    Line line = line_about(object);
    switch (misuse) {
        case Misuse::freed_twice:
            line.text(", which is free already");
            break;
        case Misuse::freed_by_two:
            line.text(", which two threads freed at once");
            break;
        case Misuse::within_chunk:
            line.text(", where no object begins");
            break;
        case Misuse::no_chunk:
            line.text(", where no pool is any more");
            break;
    }
    name_requesters(line, client);
    end_program(line, misuse == Misuse::freed_by_two ? ", found at " : ", freed at ");
}

// Who asked for what pools do not serve is recorded nowhere.
void end_by_fallback_misuse(FallbackMisuse misuse, const void* object) {
    Line line = line_about(object);
    line.text(misuse == FallbackMisuse::freed_twice ? ", which is free already" : ", where no object begins");
    end_program(line);
}

}  // namespace

void end_by_write_past(const void* object, uintptr_t place) {
    Line line;
    line.text("malloom: something wrote past the end of ").hex(reinterpret_cast<uintptr_t>(object));
    if (context::find_module(place) != nullptr) {
        line.text(", requested at ");
        name_place(line, place);
    }
    end_program(line, ", found at ");
}

void end_by_thread_misuse(heaps::ThreadMisuse what, const void* object, bool was_deferred) {
    Line line = line_about(object);
    line.text(what == heaps::ThreadMisuse::freed_before ? ", which is free already"
              : what == heaps::ThreadMisuse::damaged    ? ", around which somebody has written past an object"
                                                        : ", where no object begins");
    end_program(line, was_deferred ? ", found at " : ", freed at ");
}

void name_sites_on_misuse(Sites& sites) {
    sites_of_process = &sites;
    process_heaps.pools.heap.on_misuse(end_by_misuse);
    process_heaps.fallback.on_misuse(end_by_fallback_misuse);
}

}  // namespace malloom::front
