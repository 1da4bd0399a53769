#include "compiler/policy/shared_pools.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "compiler/analysis/requests.h"

namespace malloom::compiler {

namespace {

/// All bytes that the C library's malloc takes for an object: eight are its own.
uint64_t taken_by_malloc(uint64_t bytes) {
    return std::max(uint64_t{32}, llvm::alignTo(bytes + 8, uint64_t{16}));
}

/// What the run time's pools take for each of their objects.
uint64_t taken_by_pools(uint64_t bytes) {
    return llvm::alignTo(bytes, uint64_t{16});
}

/// Pools that may be shared: of a decision's objects of one size.
struct Candidate {
    size_t decision;
    uint64_t bytes;
};

class Groups {
  public:
    explicit Groups(const std::vector<Decision>& decisions) {
        for (size_t i = 0; i < decisions.size(); ++i) {
            add_sizes(i, decisions[i]);
        }
    }

    /// Puts the objects of both together that are alike in size.
    void join(size_t one, size_t other) {
        for (const size_t first : of_decision(one)) {
            for (const size_t second : of_decision(other)) {
                join_candidates(first, second);
            }
        }
    }

    void give_to(std::vector<Decision>& decisions) const;

  private:
    struct Group {
        uint64_t bytes;  ///< of the largest object
        uint64_t most;   ///< what malloc takes for the smallest
        unsigned members;
    };

    void add_sizes(size_t number, const Decision& decision);
    std::vector<size_t> of_decision(size_t decision) const;
    void join_candidates(size_t one, size_t other);

    std::vector<Candidate> candidates_;
    std::vector<size_t> group_of_;  ///< of candidates: the number of the first in their group
    std::vector<Group> groups_;     ///< by these
};

void Groups::add_sizes(size_t number, const Decision& decision) {
    // What a recording says to split it knows better than the code.
    const bool is_split_by_profile = decision.is_recorded && decision.treatment == Treatment::split;
    if (!shares_pools(decision.policy) || decision.treatment == Treatment::none ||
        decision.proof->is_arrays || is_split_by_profile) {
        return;
    }
    std::vector<uint64_t> sizes;
    for (const Request& request : decision.proof->set->requests) {
        if (pool_service(request) == PoolService::plain) {
            sizes.push_back(request.bytes);
        }
    }
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    for (const uint64_t bytes : sizes) {
        group_of_.push_back(candidates_.size());
        groups_.push_back({bytes, taken_by_malloc(bytes), 1});
        candidates_.push_back({number, bytes});
    }
}

/// Candidates are in the order of their decisions.
std::vector<size_t> Groups::of_decision(size_t decision) const {
    std::vector<size_t> found;
    const auto range = std::ranges::equal_range(candidates_, decision, {}, &Candidate::decision);
    for (const Candidate& candidate : range) {
        found.push_back(static_cast<size_t>(&candidate - candidates_.data()));
    }
    return found;
}

void Groups::join_candidates(size_t one, size_t other) {
    const size_t first = std::min(group_of_[one], group_of_[other]);
    const size_t second = std::max(group_of_[one], group_of_[other]);
    Group& kept = groups_[first];
    const Group& gone = groups_[second];
    const Group both = {std::max(kept.bytes, gone.bytes), std::min(kept.most, gone.most),
                        kept.members + gone.members};
    if (first != second && taken_by_pools(both.bytes) <= both.most) {
        kept = both;
        std::ranges::replace(group_of_, second, first);
    }
}

void Groups::give_to(std::vector<Decision>& decisions) const {
    for (size_t i = 0; i < candidates_.size(); ++i) {
        const Group& group = groups_[group_of_[i]];
        if (group.members < 2) {
            continue;
        }
        Decision& decision = decisions[candidates_[i].decision];
        if (decision.treatment == Treatment::split) {
            decision.treatment = Treatment::pool;
            decision.parts.clear();
            decision.layout.reset();
            decision.why = "its objects lie beside those that lead to them";
        }
        decision.pool_bytes = 0;
        decision.shared[candidates_[i].bytes] = {group_of_[i], group.bytes};
    }
}

}  // namespace

void share_pools(std::vector<Decision>& decisions, const std::vector<std::optional<size_t>>& leaders) {
    Groups groups(decisions);
    for (size_t i = 0; i < decisions.size(); ++i) {
        if (const std::optional<size_t> leader = leaders[i]) {
            groups.join(i, *leader);
        }
    }
    groups.give_to(decisions);
}

}  // namespace malloom::compiler
