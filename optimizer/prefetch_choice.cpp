#include "optimizer/prefetch_choice.h"

namespace malloom::optimizer {

namespace {

constexpr uintptr_t stack_reach = 1 << 20;

/// One column and what the analyser says of it.
struct Judged {
    LoadReferences references;
    StrideRun run;
    bool is_on_stack;
};

class Chooser {
  public:
    Chooser(const ThreadRows& rows, const StrideRules& rules) : rows_(rows), rules_(rules) {}

    void judge(size_t column, Judged& judged) const {
        rows_.gather(column, judged.references);
        judged.run = longest_run(judged.references.addresses, judged.references.count);
        judged.is_on_stack = judged.references.count != 0 && is_near_stack(judged.references.addresses[0]);
    }

    bool is_strided(const Judged& judged) const {
        return !judged.is_on_stack && is_delinquent(judged.run, rows_.count(), rules_);
    }

    /// Whether a load that is read in order, whatever the stride, brings where this one goes.
    bool is_led_by(const Judged& judged, const Judged& giver) const {
        StrideRules any_stride = rules_;
        any_stride.least_stride = 1;
        return !judged.is_on_stack && jumps(judged.references) &&
               is_delinquent(giver.run, rows_.count(), any_stride);
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

bool were_made_before(const Judged* judged, size_t column, const ChosenPrefetch* chosen, size_t count) {
    const LoadReferences& own = judged[column].references;
    for (size_t i = 0; i < count; ++i) {
        const LoadReferences& other = judged[chosen[i].column].references;
        if (are_same_references(own.addresses, own.count, other.addresses, other.count)) return true;
    }
    return false;
}

}  // namespace

size_t choose_prefetches(const ThreadRows& rows, size_t columns, Givers givers, const StrideRules& rules,
                         ChosenPrefetch* chosen, size_t most) {
    const Chooser chooser(rows, rules);
    Judged judged[TraceProfile::most_loads];
    size_t count = 0;
    for (size_t i = 0; i < columns && count < most; ++i) {
        chooser.judge(i, judged[i]);
        if (were_made_before(judged, i, chosen, count)) continue;
        if (chooser.is_strided(judged[i])) {
            chosen[count++] = {i, false, judged[i].run.stride};
        } else if (givers[i] < i && chooser.is_led_by(judged[i], judged[givers[i]])) {
            chosen[count++] = {i, true, judged[givers[i]].run.stride};
        }
    }
    return count;
}

}  // namespace malloom::optimizer
