#include "runtime/codegen/x86_64/load_site.h"

#include <algorithm>

#include "runtime/codegen/x86_64/zydis.h"

namespace malloom::codegen::x86_64 {

namespace {

const unsigned char* code_at(uintptr_t address) {
    return reinterpret_cast<const unsigned char*>(address);
}

bool is_same_operand(const Address& operand, const formats::plan::PlanPrefetch& prefetch) {
    return operand.base == prefetch.base && operand.index == prefetch.index &&
           (operand.index == no_register || operand.scale == prefetch.scale);
}

/// Quicker for sites in ascending order.
class LoadFinder {
  public:
    explicit LoadFinder(const Zydis& zydis) : zydis_(zydis) {}

    /// Whether the site's load is an instruction of its function, with the operand that the plan says.
    bool find(LoadSite& site);

  private:
    bool reach(const LoadSite& site);
    void read_following(LoadSite& site) const;
    bool flags_are_free(const LoadSite& site) const;

    const Zydis& zydis_;
    uintptr_t function_ = 0;  ///< the function that `place_` is in
    uintptr_t place_ = 0;     ///< where one of its instructions begins
};

bool LoadFinder::find(LoadSite& site) {
    site.is_found = false;
    if (!reach(site)) {
        return false;
    }
    site.load = decode(zydis_, code_at(site.address), site.end - site.address);
    // What is loaded from the stack needs no prefetch.
    if (!site.load.is_load || site.load.operand.base == stack_pointer ||
        !is_same_operand(site.load.operand, *site.prefetch)) {
        return false;
    }
    read_following(site);
    site.flags_are_free = flags_are_free(site);
    site.is_found = true;
    return true;
}

bool LoadFinder::reach(const LoadSite& site) {
    if (site.function != function_ || site.address < place_) {
        function_ = place_ = site.function;
    }
    while (place_ < site.address) {
        const unsigned length = zydis_.length(code_at(place_), site.end - place_);
        if (length == 0) {
            function_ = 0;
            return false;
        }
        place_ += length;
    }
    return place_ == site.address;
}

void LoadFinder::read_following(LoadSite& site) const {
    uintptr_t place = site.address + site.load.length;
    for (Instruction& next : site.following) {
        next = place < site.end ? decode(zydis_, code_at(place), site.end - place) : Instruction{};
        if (next.length == 0) {
            return;
        }
        place += next.length;
    }
}

// Whether all status flags are written before any is read, along the code up to the next branch.
bool LoadFinder::flags_are_free(const LoadSite& site) const {
    constexpr unsigned far_enough = 32;
    uint32_t wanted = status_flags;
    uintptr_t place = site.address;
    for (unsigned i = 0; i < far_enough && place < site.end; ++i) {
        const Instruction next = decode(zydis_, code_at(place), site.end - place);
        if (next.length == 0 || !next.goes_on || (next.flags_read & wanted) != 0) {
            return false;
        }
        wanted &= ~next.flags_written;
        if (wanted == 0) {
            return true;
        }
        place += next.length;
    }
    return false;
}

}  // namespace

void find_loads(const Zydis& zydis, std::span<LoadSite> sites) {
    std::sort(sites.begin(), sites.end(),
              [](const LoadSite& left, const LoadSite& right) { return left.address < right.address; });
    LoadFinder finder(zydis);
    uintptr_t free_from = 0;
    for (LoadSite& site : sites) {
        if (site.address >= free_from && finder.find(site)) {
            free_from = site.address + site.load.length;
        }
    }
}

}  // namespace malloom::codegen::x86_64
