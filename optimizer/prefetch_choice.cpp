#include "optimizer/prefetch_choice.h"

namespace malloom::optimizer {

namespace {

constexpr uintptr_t stack_reach = 1 << 20;

/// One column and what the analysis says of it.
struct AnalysedLoad {
    LoadReferences references;
    StrideRun run;
    bool is_on_stack;
};

class Chooser {
  public:
    Chooser(const ThreadRows& rows, const StrideRules& rules) : rows_(rows), rules_(rules) {}

    void analyse(size_t column, AnalysedLoad& load) const {
        rows_.gather(column, load.references);
        load.run = longest_run(load.references.addresses, load.references.count);
        load.is_on_stack = load.references.count != 0 && is_near_stack(load.references.addresses[0]);
    }

    bool is_strided(const AnalysedLoad& load) const {
        return !load.is_on_stack && is_delinquent(load.run, rows_.count(), rules_);
    }

    /// Whether the load goes from line to line where another one leads it that strides, however little.
    bool is_indirect(const AnalysedLoad& load, const AnalysedLoad& producer) const {
        StrideRules any_stride = rules_;
        any_stride.least_stride = 1;
        return !load.is_on_stack && jumps(load.references) &&
               is_delinquent(producer.run, rows_.count(), any_stride);
    }

  private:
    bool is_near_stack(uintptr_t address) const {
        return address - rows_.stack() + stack_reach <= 2 * stack_reach;
    }

    uintptr_t line_of(uintptr_t address) const { return address / rules_.line_bytes; }

    // More than half of the entries lead to another line than the entry before.
    bool jumps(const LoadReferences& references) const {
        size_t jumps = 0;
        for (size_t i = 1; i < references.count; ++i)
            jumps += line_of(references.addresses[i]) != line_of(references.addresses[i - 1]);
        return jumps > rows_.count() / 2;
    }

    const ThreadRows& rows_;
    const StrideRules& rules_;
};

bool were_made_before(const AnalysedLoad* loads, size_t column, const ChosenPrefetch* chosen, size_t count) {
    const LoadReferences& own = loads[column].references;
    for (size_t i = 0; i < count; ++i) {
        const LoadReferences& other = loads[chosen[i].column].references;
        if (are_same_references(own.addresses, own.count, other.addresses, other.count)) return true;
    }
    return false;
}

}  // namespace

size_t choose_prefetches(const ThreadRows& rows, size_t columns, Producers producers,
                         const StrideRules& rules, ChosenPrefetch* chosen, size_t most) {
    const Chooser chooser(rows, rules);
    AnalysedLoad loads[TraceProfile::most_loads];
    size_t count = 0;
    for (size_t i = 0; i < columns && count < most; ++i) {
        chooser.analyse(i, loads[i]);
        if (were_made_before(loads, i, chosen, count)) continue;
        if (chooser.is_strided(loads[i])) {
            chosen[count++] = {i, false, loads[i].run.stride};
        } else if (producers[i] < i && chooser.is_indirect(loads[i], loads[producers[i]])) {
            chosen[count++] = {i, true, loads[producers[i]].run.stride};
        }
    }
    return count;
}

}  // namespace malloom::optimizer
