#include "compiler/policy/grouping.h"

#include <algorithm>

#include "compiler/policy/costs.h"

namespace malloom::compiler {

namespace {

/// A split must promise so much to be worth its code.
constexpr double worthwhile = 0.95;
/// How often the least used hot field is used, for one use of the most used cold one. Less says little: the
/// weights of the code alone are guesses.
constexpr double clearly = 2;

constexpr FieldSet all_fields = ~FieldSet{0};

std::vector<FieldSet> joined(std::vector<FieldSet> parts, size_t one, size_t other) {
    parts[one] |= parts[other];
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(other));
    return parts;
}

/// What two parts in one array save, or cost where it is negative. With the first part, the ways to all
/// others change.
double saved_by(const Costs& costs, const std::vector<FieldSet>& parts, size_t one, size_t other) {
    const FieldSet first = costs.first_of(parts), both = parts[one] | parts[other];
    if ((both & first) != 0) {
        return costs.of(parts) - costs.of(joined(parts, one, other));
    }
    return costs.of_part_beside(parts[one], first) + costs.of_part_beside(parts[other], first) -
           costs.of_part_beside(both, first);
}

/// Begins with each field apart, and joins the two parts that save most as long as any do.
std::vector<FieldSet> join_what_saves(const Costs& costs, size_t fields) {
    std::vector<FieldSet> parts;
    parts.reserve(fields);
    for (size_t i = 0; i < fields; ++i) {
        parts.push_back(FieldSet{1} << i);
    }
    for (;;) {
        double best = 0;
        size_t one = 0, other = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            for (size_t j = i + 1; j < parts.size(); ++j) {
                const double saved = saved_by(costs, parts, i, j);
                // Fields that nobody visits lie together: fewer arrays.
                const bool both_idle = costs.weight_of(parts[i] | parts[j]) == 0;
                if (saved > best || (both_idle && best == 0 && other == 0)) {
                    best = saved;
                    one = i;
                    other = j;
                }
            }
        }
        if (other == 0) {
            return parts;
        }
        parts = joined(std::move(parts), one, other);
    }
}

void order(std::vector<FieldSet>& parts, const Costs& costs) {
    const FieldSet first = costs.first_of(parts);
    std::ranges::stable_sort(parts, std::ranges::greater(),
                             [&](FieldSet part) { return std::pair(part == first, costs.weight_of(part)); });
}

std::vector<std::vector<unsigned>> numbers_of(const std::vector<FieldSet>& parts, size_t fields) {
    std::vector<std::vector<unsigned>> found;
    for (const FieldSet part : parts) {
        std::vector<unsigned>& members = found.emplace_back();
        for (unsigned i = 0; i < fields; ++i) {
            if ((part >> i & 1) != 0) {
                members.push_back(i);
            }
        }
    }
    return found;
}

}  // namespace

std::vector<std::vector<unsigned>> best_parts(const Proof& proof, const Usage& usage) {
    const Costs costs(proof, usage);
    std::vector<FieldSet> parts = join_what_saves(costs, proof.fields.size());
    order(parts, costs);
    // Arrays of structures lie close together as they are.
    if (!proof.is_arrays && costs.of({all_fields}) <= costs.of(parts)) {
        parts = {all_fields};
    }
    if (costs.of(parts) > worthwhile * costs.whole()) {
        return {};
    }
    return numbers_of(parts, proof.fields.size());
}

std::vector<std::vector<unsigned>> hot_and_cold(const Proof& proof, const Usage& usage) {
    const Costs costs(proof, usage);
    std::vector<std::pair<double, FieldSet>> fields;
    fields.reserve(proof.fields.size());
    for (size_t i = 0; i < proof.fields.size(); ++i) {
        fields.emplace_back(costs.weight_of(FieldSet{1} << i), FieldSet{1} << i);
    }
    std::ranges::stable_sort(fields, std::ranges::greater(), &std::pair<double, FieldSet>::first);
    std::vector<FieldSet> best;
    double least = worthwhile * costs.whole();
    FieldSet hot = 0, all = 0;
    for (const auto& [weight, field] : fields) {
        all |= field;
    }
    for (size_t cut = 1; cut < fields.size(); ++cut) {
        hot |= fields[cut - 1].second;
        std::vector<FieldSet> parts = {hot, all & ~hot};
        order(parts, costs);
        const bool is_clear = fields[cut - 1].first > clearly * fields[cut].first;
        if (is_clear && costs.of(parts) < least) {
            least = costs.of(parts);
            best = parts;
        }
    }
    return numbers_of(best, proof.fields.size());
}

}  // namespace malloom::compiler
