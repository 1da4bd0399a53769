#include "runtime/codegen/load_patcher.h"

#include <string.h>

#include <algorithm>

#include "runtime/codegen/code_pages.h"
#include "runtime/codegen/prefetch_code.h"
#include "runtime/codegen/punned_jump.h"
#include "runtime/platform/memory.h"

namespace malloom::codegen {

namespace {

constexpr unsigned jump_bytes = 5;

// Branch predictors know a branch by the low 24 bits of its address. Where a trampoline's are those of its
// load, its branch and those beside the load put each other out, which costs 10 ns every time.
constexpr uintptr_t predicted_span = uintptr_t{1} << 24;
constexpr uintptr_t alias_bytes = 512;  // on either side

/// A jump that is to be written over a load.
struct Patch {
    uintptr_t address;
    unsigned size;
    int protection;
    uintptr_t trampoline;
    unsigned char bytes[longest_instruction];
};

/// Patches from the highest address down. A short load's jump shares bytes with what follows it, so these
/// have to be final when it is made, and when it is written.
class Patches {
  public:
    Patches(Patch* patches, CodePages& pages) : patches_(patches), pages_(pages) {}

    bool add(const LoadSite& site);
    /// How many were written. Where the system refuses one, none below it is.
    size_t write(size_t& pages) const;
    size_t count() const { return count_; }

  private:
    void read_code(const LoadSite& site, unsigned char* code, size_t bytes) const;
    bool lead_to(const MachineCode& code, const LoadSite& site, unsigned prefixes, const PunnedJump& jump);
    bool append_way_back(const LoadSite& site, unsigned covered, uintptr_t at, MachineCode& code) const;
    const Patch* patch_at(uintptr_t address) const;

    Patch* patches_;
    CodePages& pages_;
    size_t count_ = 0;
};

bool Patches::add(const LoadSite& site) {
    unsigned char code[longest_instruction + jump_bytes] = {};
    read_code(site, code, site.load.length + jump_bytes);
    MachineCode trampoline;
    if (site.end - site.address < site.load.length + jump_bytes || !append_prefetch(site, trampoline)) {
        return false;
    }
    for (unsigned prefixes = 0; prefixes < site.load.length; ++prefixes) {
        if (lead_to(trampoline, site, prefixes, PunnedJump(site.address, site.load.length, prefixes, code))) {
            return true;
        }
        if (site.load.length >= jump_bytes) {
            return false;  // it could lead anywhere already
        }
    }
    return false;
}

// As it will be: with the patches above.
void Patches::read_code(const LoadSite& site, unsigned char* code, size_t bytes) const {
    for (size_t i = 0; i < bytes && site.address + i < site.end; ++i) {
        code[i] = *reinterpret_cast<const unsigned char*>(site.address + i);
    }
    for (size_t i = count_; i > 0 && patches_[i - 1].address < site.address + bytes; --i) {
        const Patch& above = patches_[i - 1];
        const size_t offset = above.address - site.address;
        memcpy(code + offset, above.bytes, std::min<size_t>(above.size, bytes - offset));
    }
}

bool Patches::lead_to(const MachineCode& code, const LoadSite& site, unsigned prefixes,
                      const PunnedJump& jump) {
    MachineCode draft = code;
    const unsigned covered = prefixes + jump_bytes;
    if (!append_way_back(site, covered, site.address, draft) || !draft.is_whole()) {
        return false;
    }
    // Its branches must reach what lies around the load.
    constexpr uintptr_t farthest = (uintptr_t{1} << 31) - (uintptr_t{1} << 20);
    const Reach reach = {std::max(jump.lowest(), site.address - std::min(site.address, farthest)),
                         std::min(jump.highest(), site.address + farthest),
                         {site.address, predicted_span, alias_bytes}};
    unsigned char* place = pages_.place(reach, draft.size());
    if (place == nullptr) {
        return false;
    }
    MachineCode whole = code;
    append_way_back(site, covered, reinterpret_cast<uintptr_t>(place), whole);
    if (!whole.is_whole()) {
        return false;
    }
    memcpy(place, whole.bytes(), whole.size());
    Patch& patch = patches_[count_++];
    patch.address = site.address;
    patch.protection = site.protection;
    patch.trampoline = reinterpret_cast<uintptr_t>(place);
    patch.size = jump.write(patch.trampoline, patch.bytes);
    return true;
}

// Goes back behind the jump, by way of copies of the instructions that its last bytes are part of. Back into
// the middle of it would be as right, but processors would look for a branch there, in vain, at 7 ns each
// time.
bool Patches::append_way_back(const LoadSite& site, unsigned covered, uintptr_t at, MachineCode& code) const {
    uintptr_t place = site.address + site.load.length;
    for (const Instruction& next : site.following) {
        const Patch* patch = patch_at(place);
        if (patch != nullptr || place >= site.address + covered) {
            code.jump(at, patch != nullptr ? patch->trampoline : place);
            return true;
        }
        if (next.length == 0) {
            return false;
        }
        const uintptr_t end = place + next.length;
        if (next.condition != no_condition) {
            code.jump_on(next.condition, at, end + static_cast<uintptr_t>(intptr_t{next.jump_distance}));
        } else if (next.is_relative || (!next.goes_on && !next.leaves)) {
            return false;
        } else {
            code.copy(reinterpret_cast<const unsigned char*>(place), next.length);
        }
        if (next.leaves) {
            return true;
        }
        place = end;
    }
    return false;
}

const Patch* Patches::patch_at(uintptr_t address) const {
    for (size_t i = count_; i > 0 && patches_[i - 1].address <= address; --i) {
        if (patches_[i - 1].address == address) {
            return &patches_[i - 1];
        }
    }
    return nullptr;
}

size_t Patches::write(size_t& pages) const {
    uintptr_t last_page = 0;
    for (size_t i = 0; i < count_; ++i) {
        const Patch& patch = patches_[i];
        if (!write_code(patch.address, patch.bytes, patch.size, patch.protection)) {
            return i;
        }
        const uintptr_t page = platform::round_down(patch.address, platform::page_bytes());
        pages += page != last_page;
        last_page = page;
    }
    return count_;
}

// Sorts by address and finds the loads; false without the decoder.
bool find_loads(LoadSite* sites, size_t count) {
    InstructionDecoder decoder;
    if (!decoder.open()) {
        return false;
    }
    std::sort(sites, sites + count,
              [](const LoadSite& left, const LoadSite& right) { return left.address < right.address; });
    LoadFinder finder(decoder);
    uintptr_t free_from = 0;
    for (size_t i = 0; i < count; ++i) {
        if (sites[i].address >= free_from && finder.find(sites[i])) {
            free_from = sites[i].address + sites[i].load.length;
        }
    }
    return true;
}

Patched patch_found(LoadSite* sites, size_t count, Patch* room) {
    CodePages pages;
    Patches patches(room, pages);
    for (size_t i = count; i > 0; --i) {
        if (sites[i - 1].is_found) {
            patches.add(sites[i - 1]);
        }
    }
    Patched patched;
    if (!pages.seal()) {
        pages.release();
        patched.problem = "the system makes no memory executable";
        return patched;
    }
    patched.pages = pages.pages();
    patched.loads = patches.write(patched.pages);
    if (patched.loads < patches.count()) {
        patched.problem = "the system changes no code";
    }
    return patched;
}

}  // namespace

Patched patch_loads(LoadSite* sites, size_t count) {
    if (count == 0) {
        return {};
    }
#ifndef __x86_64__
    return {0, 0, "only x86-64 has them"};
#endif
    if (!find_loads(sites, count)) {
        return {0, 0, "the decoder (libZydis) is missing"};
    }
    auto* room = static_cast<Patch*>(platform::map_pages(count * sizeof(Patch)));
    if (room == nullptr) {
        return {0, 0, "no memory"};
    }
    const Patched patched = patch_found(sites, count, room);
    platform::unmap_pages(room, count * sizeof(Patch));
    return patched;
}

}  // namespace malloom::codegen
