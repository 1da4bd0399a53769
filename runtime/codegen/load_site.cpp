#include "runtime/codegen/load_site.h"

namespace malloom::codegen {

namespace {

const unsigned char* code_at(uintptr_t address) {
    return reinterpret_cast<const unsigned char*>(address);
}

bool is_same_operand(const Address& operand, const formats::plan::PlanPrefetch& prefetch) {
    return operand.base == prefetch.base && operand.index == prefetch.index &&
           (operand.index == no_register || operand.scale == prefetch.scale);
}

}  // namespace

bool LoadFinder::find(LoadSite& site) {
    site.is_found = false;
    if (!reach(site)) {
        return false;
    }
    site.load = decoder_.decode(code_at(site.address), site.end - site.address);
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
        const unsigned length = decoder_.length(code_at(place_), site.end - place_);
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
        next = place < site.end ? decoder_.decode(code_at(place), site.end - place) : Instruction{};
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
        const Instruction next = decoder_.decode(code_at(place), site.end - place);
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

}  // namespace malloom::codegen
