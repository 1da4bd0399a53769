// From accesses to the tables of formats/fields.def, in one pass.
#pragma once

#include <stdint.h>

#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "formats/context_hash.h"
#include "formats/fields.h"
#include "src/native/accesses/source.h"
#include "src/native/fields/visits.h"
#include "src/native/simulation/hierarchy.h"

namespace malloom::native {

/// Visits in which the same fields were used.
struct VisitSet {
    uint64_t kind;
    uint64_t fields;  ///< bit i: the kind's i-th field, in order, among those that have visits
    uint64_t visits;
};

/// The tables, without what is known of a kind from its requests alone.
struct FieldTables {
    std::vector<formats::fields::Kind> kinds;
    std::vector<formats::fields::Field> fields;
    std::vector<formats::fields::Pair> pairs;
    std::vector<VisitSet> sets;
    uint64_t accesses = 0;
    uint64_t unattributed = 0;
};

/// Counts what each access does to its field. Memory: that of the limits in formats/fields.def and of
/// most_sets, however many accesses.
class FieldCounter {
  public:
    /// `kind_of_request` must outlive it; its values are below `kinds`. `levels` are the machine's caches,
    /// `lines` those that the first one holds.
    FieldCounter(std::span<const uint32_t> kind_of_request, size_t kinds, size_t levels, uint64_t lines)
        : kind_of_request_(kind_of_request), levels_(levels), kinds_(kinds), visits_(lines) {}

    void add(const ResolvedAccess& access, const AccessMisses& misses);

    /// The tables, each kind's fields in order. Ends all visits, so it can be called once.
    FieldTables take();

  private:
    static constexpr uint32_t no_field = ~uint32_t{0};
    static constexpr size_t most_sets = 1 << 20;  ///< of all kinds; visits with further sets are in none

    struct FieldUse {
        uint32_t kind;
        formats::fields::Field counts;
    };
    struct KindUse {
        formats::fields::Kind counts{};
        std::vector<uint32_t> fields;    ///< indexes into fields_, in the order of their first use
        std::vector<uint64_t> together;  ///< visits with fields i < j, at j * (j - 1) / 2 + i
        uint32_t paired = 0;             ///< fields that have a bit, the first ones
    };
    /// A kind, and the bits of fields in the order of their first use. One map for all kinds, as most of a
    /// million kinds have a set or two.
    struct SetKey {
        uint32_t kind;
        uint64_t fields;
        bool operator==(const SetKey&) const = default;
    };
    struct HashOfSet {
        size_t operator()(const SetKey& key) const {
            return formats::mix(formats::mix(key.kind) ^ key.fields);
        }
    };

    uint32_t field_of(uint32_t kind, const ResolvedAccess& access);
    void add_to_pairs(KindUse& kind);
    void close(uint32_t request, uint64_t fields);
    void add_to_sets(uint32_t kind, uint64_t fields);
    void append(KindUse& kind, std::span<VisitSet> sets, FieldTables& tables) const;
    std::vector<VisitSet> take_sets();

    std::span<const uint32_t> kind_of_request_;
    size_t levels_;
    std::vector<KindUse> kinds_;
    std::deque<FieldUse> fields_;                     ///< of up to millions, which are never copied
    std::unordered_map<uint64_t, uint32_t> numbers_;  ///< of kind, offset and width: number in the kind
    Visits visits_;
    uint64_t pairs_ = 0;
    std::unordered_map<SetKey, uint64_t, HashOfSet> sets_;  ///< visits
    uint64_t first_misses_ = 0;
    uint64_t accesses_ = 0;
    uint64_t unattributed_ = 0;
};

}  // namespace malloom::native
