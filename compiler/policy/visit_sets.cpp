#include "compiler/policy/visit_sets.h"

#include <algorithm>

namespace malloom::compiler {

namespace {

/// More say nothing more of which fields belong together.
constexpr size_t most_sets = 256;

using Numbers = std::vector<double>;

size_t largest(const Numbers& numbers) {
    return static_cast<size_t>(std::ranges::max_element(numbers) - numbers.begin());
}

/// Things that are counted together at least `least` times: from the one that is counted most on, always with
/// the one that goes along most often.
std::vector<size_t> members_of_one(const CountedTogether& counts, double least) {
    std::vector<size_t> members = {largest(counts.single)};
    Numbers support = counts.single;
    for (;;) {
        const size_t latest = members.back();
        for (size_t i = 0; i < support.size(); ++i) {
            support[i] = std::min(support[i], counts.together[latest][i]);
        }
        support[latest] = 0;
        const size_t next = largest(support);
        if (support[next] < least) {
            return members;
        }
        members.push_back(next);
    }
}

/// How often all of these are together, taken out of the counts.
double take_out(CountedTogether& counts, const std::vector<size_t>& members) {
    double count = counts.single[members.front()];
    for (const size_t one : members) {
        count = std::min(count, counts.single[one]);
        for (const size_t other : members) {
            count = one == other ? count : std::min(count, counts.together[one][other]);
        }
    }
    for (const size_t one : members) {
        counts.single[one] -= count;
        for (const size_t other : members) {
            counts.together[one][other] -= one == other ? 0 : count;
        }
    }
    return count;
}

}  // namespace

std::vector<CountedSet> sets_of(CountedTogether counts, double least) {
    std::vector<CountedSet> sets;
    while (!counts.single.empty() && counts.single[largest(counts.single)] >= least) {
        const std::vector<size_t> members = sets.size() < most_sets
                                                ? members_of_one(counts, least)
                                                : std::vector<size_t>{largest(counts.single)};
        CountedSet& set = sets.emplace_back(CountedSet{0, take_out(counts, members)});
        for (const size_t member : members) {
            set.members |= uint64_t{1} << member;
        }
    }
    return sets;
}

}  // namespace malloom::compiler
