#include "src/native/fields/field_counter.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace malloom::native {

using namespace formats::fields;

namespace {

/// Of a Kind or a Field.
template <class Counts>
void count(Counts& counts, const ResolvedAccess& access, const AccessMisses& misses, size_t levels) {
    (access.store() ? counts.stores : counts.loads) += access.weight;
    if (misses.levels == 0) return;
    ++counts.first_misses;
    if (misses.levels == levels) {
        ++counts.last_misses;
        counts.hidden_misses += misses.hidden ? 1 : 0;
    }
}

uint64_t key_of(uint32_t kind, const ResolvedAccess& access) {
    const auto width = static_cast<unsigned>(std::countr_zero(access.size()));
    return uint64_t{kind} << 32 | access.offset() << 4 | width;
}

}  // namespace

void FieldCounter::add(const ResolvedAccess& access, const AccessMisses& misses) {
    if (access.request >= kind_of_request_.size()) {
        throw std::out_of_range("an access belongs to no request of the profile");
    }
    const uint32_t kind = kind_of_request_[access.request];
    KindUse& use = kinds_[kind];
    accesses_ += access.weight;
    first_misses_ += misses.levels != 0 ? 1 : 0;
    count(use.counts, access, misses, levels_);
    const uint32_t number = field_of(kind, access);
    uint64_t bit = 0;
    if (number == no_field) {
        unattributed_ += access.weight;
    } else {
        count(fields_[use.fields[number]].counts, access, misses, levels_);
        bit = number < use.paired ? uint64_t{1} << number : 0;
    }
    visits_.use(access.request, bit, first_misses_,
                [this](uint32_t request, uint64_t fields) { close(request, fields); });
}

uint32_t FieldCounter::field_of(uint32_t kind, const ResolvedAccess& access) {
    if (access.offset() > largest_offset) return no_field;
    const uint64_t key = key_of(kind, access);
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return found->second;
    if (fields_.size() >= most_fields) return no_field;
    KindUse& use = kinds_[kind];
    const auto number = static_cast<uint32_t>(use.fields.size());
    numbers_.emplace(key, number);
    use.fields.push_back(static_cast<uint32_t>(fields_.size()));
    Field counts{};
    counts.offset = static_cast<uint32_t>(access.offset());
    counts.bytes = access.size();
    fields_.push_back({kind, counts});
    add_to_pairs(use);
    return number;
}

/// Gives the kind's newest field a bit, where there is room.
void FieldCounter::add_to_pairs(KindUse& kind) {
    const size_t number = kind.fields.size() - 1;
    if (number != kind.paired || number >= most_paired || pairs_ + number > most_pairs) return;
    kind.together.resize(kind.together.size() + number);
    kind.paired = static_cast<uint32_t>(number) + 1;
    pairs_ += number;
}

void FieldCounter::close(uint32_t request, uint64_t fields) {
    const uint32_t number = kind_of_request_[request];
    KindUse& kind = kinds_[number];
    ++kind.counts.visits;
    add_to_sets(number, fields);
    for (uint64_t rest = fields; rest != 0; rest &= rest - 1) {
        const auto later = static_cast<unsigned>(std::countr_zero(rest));
        ++fields_[kind.fields[later]].counts.visits;
        const uint64_t row = uint64_t{later} * (later - (later != 0 ? 1 : 0)) / 2;
        for (uint64_t before = fields & ((uint64_t{1} << later) - 1); before != 0; before &= before - 1) {
            ++kind.together[row + static_cast<unsigned>(std::countr_zero(before))];
        }
    }
}

void FieldCounter::add_to_sets(uint32_t kind, uint64_t fields) {
    if (fields == 0) return;
    const auto found = sets_.find({kind, fields});
    if (found != sets_.end()) {
        ++found->second;
    } else if (sets_.size() < most_sets) {
        sets_.emplace(SetKey{kind, fields}, 1);
    }
}

/// By kind.
std::vector<VisitSet> FieldCounter::take_sets() {
    std::vector<VisitSet> sets;
    sets.reserve(sets_.size());
    for (const auto& [key, visits] : sets_) sets.push_back({key.kind, key.fields, visits});
    sets_ = {};
    std::sort(sets.begin(), sets.end(), [](const VisitSet& a, const VisitSet& b) { return a.kind < b.kind; });
    return sets;
}

FieldTables FieldCounter::take() {
    visits_.close_all([this](uint32_t request, uint64_t fields) { close(request, fields); });
    FieldTables tables;
    tables.accesses = accesses_;
    tables.unattributed = unattributed_;
    // Of millions of fields, what is counted and what comes of it would else lie side by side, twice as large
    // as needed.
    numbers_ = {};
    tables.kinds.reserve(kinds_.size());
    tables.fields.reserve(fields_.size());
    std::vector<VisitSet> sets = take_sets();
    auto first = sets.begin();
    for (size_t number = 0; number < kinds_.size(); ++number) {
        const auto end =
            std::find_if(first, sets.end(), [=](const VisitSet& set) { return set.kind != number; });
        append(kinds_[number], {first, end}, tables);
        first = end;
        kinds_[number] = {};
    }
    tables.sets = std::move(sets);
    return tables;
}

/// A kind with its fields by offset and width, and the pairs that ever were used together; its sets get their
/// bits in that order.
void FieldCounter::append(KindUse& kind, std::span<VisitSet> sets, FieldTables& tables) const {
    std::vector<uint32_t> order(kind.fields.size());
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](uint32_t number) {
        const Field& counts = fields_[kind.fields[number]].counts;
        return std::pair{counts.offset, counts.bytes};
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    kind.counts.first_field = static_cast<uint32_t>(tables.fields.size());
    kind.counts.fields = static_cast<uint32_t>(order.size());
    kind.counts.first_pair = static_cast<uint32_t>(tables.pairs.size());
    for (const uint32_t number : order) tables.fields.push_back(fields_[kind.fields[number]].counts);
    std::vector<uint32_t> paired(order.size());
    std::iota(paired.begin(), paired.end(), 0);
    std::erase_if(paired, [&](uint32_t at) { return order[at] >= kind.paired; });
    for (const uint32_t second : paired) {
        for (const uint32_t first : paired) {
            if (first == second) break;
            const auto [before, later] = std::minmax(order[first], order[second]);
            const uint64_t visits = kind.together[uint64_t{later} * (later - 1) / 2 + before];
            if (visits != 0) tables.pairs.push_back({first, second, visits});
        }
    }
    kind.counts.pairs = static_cast<uint32_t>(tables.pairs.size()) - kind.counts.first_pair;
    for (VisitSet& set : sets) {
        uint64_t ordered = 0;
        for (size_t rank = 0; rank < paired.size(); ++rank) {
            ordered |= (set.fields >> order[paired[rank]] & 1) << rank;
        }
        set.fields = ordered;
    }
    tables.kinds.push_back(kind.counts);
}

}  // namespace malloom::native
