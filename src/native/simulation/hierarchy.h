// Caches and TLBs as one machine sees them.
#pragma once

#include <bit>
#include <vector>

#include "src/native/simulation/cache.h"
#include "src/native/simulation/footprint.h"
#include "src/native/simulation/streams.h"

namespace malloom::native {

/// A geometry: data caches and data TLBs, each from the level next to the core outwards.
struct Geometry {
    std::vector<CacheShape> caches;
    std::vector<CacheShape> tlbs;
};

/// Addresses that lie in huge pages: a TLB has one entry for each of them.
struct HugePages {
    static constexpr unsigned shift = 21;

    uint64_t begin = 0;
    uint64_t bytes = 0;

    bool contain(uint64_t address) const { return address - begin < bytes; }

    /// Numbers of their own, above those of all small pages below 2^37.
    uint32_t number(uint64_t address) const {
        return uint32_t{1} << 31 | static_cast<uint32_t>((address - begin) >> shift);
    }
};

/// What one access met.
struct AccessMisses {
    unsigned levels = 0;  ///< caches that missed, from the first on
    bool hidden = false;  ///< whether nobody waits for it: prefetched, or new memory
    unsigned tlbs = 0;    ///< TLBs that missed, from the first on
};

/// A level is referenced by what missed in the level before it. An access over the end of a line references
/// both lines and counts one miss at each level where either missed (cachegrind's semantics).
///
/// The first miss on a line is hidden: the kernel has just zeroed its page, so the caches have it, and how
/// many lines there are is the footprint's to say.
template <class Replacement>
class Hierarchy {
  public:
    explicit Hierarchy(const Geometry& geometry, const HugePages& huge_pages = {})
        : streams_(static_cast<unsigned>(std::countr_zero(geometry.caches.front().line_bytes))),
          caches_(geometry.caches.begin(), geometry.caches.end()),
          tlbs_(geometry.tlbs.begin(), geometry.tlbs.end()),
          huge_pages_(huge_pages) {}

    /// One load or store; `weight` equal ones in a row, of which only the first can miss.
    AccessMisses access(uint64_t address, unsigned bytes, uint32_t weight) {
        references_ += weight;
        const uint32_t first = caches_.front().line_of(address);
        const uint32_t last = caches_.front().line_of(address + bytes - 1);
        if (first == latest_line_ && last == first) {
            return {};  // the line is where the access before it left it, in every cache and TLB
        }
        latest_line_ = first == last ? first : no_line;
        AccessMisses misses = reference_caches(address, bytes);
        misses.tlbs = reference_tlbs(address, bytes);
        return misses;
    }

    /// Says that all memory was used before, in parts of the stream that are left out: none of it is new.
    void assume_all_used() { all_used_ = true; }

    /// Says that the object at `address` was used before, in a part of the stream that is not simulated.
    void add_to_footprint(uint64_t address, uint64_t bytes) { touched_.touch(address, bytes); }

    /// Counts of all caches, then of all TLBs.
    std::vector<CacheCounts> counts() const {
        std::vector<CacheCounts> all;
        for (const auto* levels : {&caches_, &tlbs_}) {
            uint64_t references = references_;
            for (const Cache<Replacement>& level : *levels) {
                all.push_back({references, level.counts.misses, level.counts.hidden});
                references = level.counts.misses;
            }
        }
        return all;
    }

    /// Takes the counters, but not what is cached, back to what `counts()` returned before.
    void restore(const std::vector<CacheCounts>& earlier) {
        references_ = earlier.front().references;
        size_t next = 0;
        for (auto* levels : {&caches_, &tlbs_}) {
            for (Cache<Replacement>& level : *levels) {
                level.counts = earlier[next++];
            }
        }
    }

  private:
    static constexpr uint32_t no_line = UINT32_MAX;

    AccessMisses reference_caches(uint64_t address, unsigned bytes) {
        Missed missed = caches_.front().reference(address, bytes);
        if (missed == Missed::none) {
            return {};
        }
        const bool is_prefetched = prefetched(address, bytes, missed);
        const bool is_new = !all_used_ && touched_.touch(address, bytes);
        AccessMisses met{.hidden = is_new || is_prefetched};
        while (missed != Missed::none) {
            Cache<Replacement>& level = caches_[met.levels];
            ++level.counts.misses;
            level.counts.hidden += met.hidden ? 1 : 0;
            if (++met.levels == caches_.size()) {
                break;
            }
            missed = caches_[met.levels].reference(address, bytes);
        }
        return met;
    }

    unsigned reference_tlbs(uint64_t address, unsigned bytes) {
        const bool huge = huge_pages_.contain(address);
        unsigned missed = 0;
        for (Cache<Replacement>& tlb : tlbs_) {
            const Missed here =
                huge ? tlb.reference(huge_pages_.number(address)) : tlb.reference(address, bytes);
            if (here == Missed::none) {
                break;
            }
            ++tlb.counts.misses;
            ++missed;
        }
        return missed;
    }

    bool prefetched(uint64_t address, unsigned bytes, Missed missed) {
        const bool first = missed != Missed::last && streams_.follows(caches_.front().line_of(address));
        const bool last =
            missed != Missed::first && streams_.follows(caches_.front().line_of(address + bytes - 1));
        return missed == Missed::last ? last : first;
    }

    StreamTable streams_;
    TouchedLines touched_;
    bool all_used_ = false;
    uint32_t latest_line_ = no_line;
    uint64_t references_ = 0;
    std::vector<Cache<Replacement>> caches_;
    std::vector<Cache<Replacement>> tlbs_;
    HugePages huge_pages_;
};

}  // namespace malloom::native
