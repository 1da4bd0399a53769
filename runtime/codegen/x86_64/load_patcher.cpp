#include "runtime/codegen/x86_64/load_patcher.h"

#include <string.h>

#include <algorithm>

#include "runtime/codegen/code_pages.h"
#include "runtime/codegen/x86_64/trampoline.h"
#include "runtime/platform/memory.h"

namespace malloom::codegen::x86_64 {

namespace {

constexpr unsigned jump_bytes = PunnedJump::jump_bytes;

// Branch predictors know a branch by the low 24 bits of its address. Where a trampoline's are those of its
// load, its branch and those beside the load put each other out, which costs 10 ns every time.
constexpr uintptr_t predicted_span = uintptr_t{1} << 24;
constexpr uintptr_t alias_bytes = 512;  // on either side

constexpr size_t longest_part = 160;  // of a trampoline, in bytes: its beginning's or its end's

using Code = std::span<const unsigned char>;

/// Patches from the highest address down. A short load's jump shares bytes with what follows it, so these
/// have to be final when it is made, and when it is written.
class Patches {
  public:
    Patches(const Zydis& zydis, Patch* patches, CodePages& pages)
        : zydis_(zydis), patches_(patches), pages_(pages) {}

    bool add(const LoadSite& site);
    /// How many were written. Where the system refuses one, none below it is.
    size_t write(size_t& pages) const;
    size_t count() const { return count_; }

  private:
    void read_code(const LoadSite& site, unsigned char* code, size_t bytes) const;
    bool lead_to(Code start, const LoadSite& site, unsigned prefixes, const PunnedJump& jump);
    std::span<unsigned char> place(size_t start_bytes, const LoadSite& site, unsigned covered,
                                   const PunnedJump& jump);

    const Zydis& zydis_;
    Patch* patches_;
    CodePages& pages_;
    size_t count_ = 0;
};

bool Patches::add(const LoadSite& site) {
    unsigned char code[longest_instruction + jump_bytes] = {};
    read_code(site, code, site.load.length + jump_bytes);
    unsigned char room[longest_part];
    Emitter start(zydis_, room, site.address);
    if (site.end - site.address < site.load.length + jump_bytes || !emit_prefetched_load(site, start)) {
        return false;
    }
    for (unsigned prefixes = 0; prefixes < site.load.length; ++prefixes) {
        const PunnedJump jump(site.address, site.load.length, prefixes, code);
        if (lead_to({room, start.size()}, site, prefixes, jump)) {
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

bool Patches::lead_to(Code start, const LoadSite& site, unsigned prefixes, const PunnedJump& jump) {
    const unsigned covered = prefixes + jump_bytes;
    const std::span<unsigned char> room = place(start.size(), site, covered, jump);
    const auto trampoline = reinterpret_cast<uintptr_t>(room.data());
    Emitter code(zydis_, room, trampoline);
    code.copy(start);
    if (room.empty() || !emit_way_back(site, covered, {patches_, count_}, code)) {
        return false;
    }
    Patch& patch = patches_[count_];
    patch.address = site.address;
    patch.trampoline = trampoline;
    patch.protection = site.protection;
    patch.size = jump.write(zydis_, trampoline, patch.bytes);
    count_ += patch.size != 0;
    return patch.size != 0;
}

// Room for a trampoline that begins with so many bytes; empty where there is none. How long it is in all, a
// draft of its end says.
std::span<unsigned char> Patches::place(size_t start_bytes, const LoadSite& site, unsigned covered,
                                        const PunnedJump& jump) {
    unsigned char end[longest_part];
    Emitter draft(zydis_, end, site.address);
    if (!emit_way_back(site, covered, {patches_, count_}, draft)) {
        return {};
    }
    // Its branches must reach what lies around the load.
    constexpr uintptr_t farthest = (uintptr_t{1} << 31) - (uintptr_t{1} << 20);
    const Reach reach = {std::max(jump.lowest(), site.address - std::min(site.address, farthest)),
                         std::min(jump.highest(), site.address + farthest),
                         {site.address, predicted_span, alias_bytes}};
    const size_t bytes = start_bytes + draft.size();
    unsigned char* room = pages_.place(reach, bytes);
    return {room, room == nullptr ? 0 : bytes};
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

Patched patch_found(const Zydis& zydis, LoadSite* sites, size_t count, Patch* room) {
    CodePages pages;
    Patches patches(zydis, room, pages);
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
    Zydis zydis;
    if (!zydis.open()) {
        return {0, 0, "libZydis is missing"};
    }
    find_loads(zydis, {sites, count});
    auto* room = static_cast<Patch*>(platform::map_pages(count * sizeof(Patch)));
    if (room == nullptr) {
        return {0, 0, "no memory"};
    }
    const Patched patched = patch_found(zydis, sites, count, room);
    platform::unmap_pages(room, count * sizeof(Patch));
    return patched;
}

}  // namespace malloom::codegen::x86_64
