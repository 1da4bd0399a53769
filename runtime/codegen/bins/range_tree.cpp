// Trees by bisection of weights, which costs at most two comparisons more than the weights' entropy (Mehlhorn
// 1975): each comparison divides a span of leaves where that balances best, and so on within both parts.
// Where jumping takes longer than going on, the heavier part should have more than half, and is what follows
// the comparison (Altenkamp and Mehlhorn 1980, on letters of unequal cost).
//
// Parts are visited depth first, and their code is written before the comparison: first the part that is
// jumped to, then the one that follows. Only the path from the root is remembered.
#include "runtime/codegen/bins/range_tree.h"

#include <limits.h>

#include "runtime/codegen/bins/bits.h"
#include "runtime/codegen/bins/range_leaves.h"

namespace malloom::codegen::bins {
namespace {

/// Leaves of which a size's is yet to be found out, by their numbers.
struct Span {
    Border before;  ///< the first leaf
    uint16_t first;
    uint16_t last;
    uint8_t copy_shift;  ///< of the copy of the size that is there; 0: none is

    /// Member by member: as a whole it would be copied by memcpy, where GCC looks for small code on RISC-V.
    Span& operator=(const Span& other) {
        before = other.before;
        first = other.first;
        last = other.last;
        copy_shift = other.copy_shift;
        return *this;
    }
};

/// A comparison whose code is yet to be written, since that of its parts is not complete.
struct Node {
    Comparison comparison;  ///< without a target while the part that is jumped to is not written
    Span follower;          ///< the other part
};

class RangeTree {
  public:
    RangeTree(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch,
              CodeWriter& code)
        : ranges_(ranges),
          instructions_(instructions),
          code_(code),
          leaves_(find_leaves(ranges, scratch)),
          weighted_end_(nodes_ + bit_width(leaves_.count - 1) + 2) {}

    void write();

  private:
    static constexpr size_t no_target = 0;

    uint32_t boundary_at(Border border) const { return ranges_.begins[border.range()]; }
    unsigned first_above(const Span& span, uint32_t weight) const;
    unsigned best_border(const Span& span) const;
    void divide(Span& span);
    unsigned cost_of(uint32_t boundary, unsigned shift) const;
    unsigned shift_of_copy(uint32_t boundary, const Span& span, unsigned cost_without) const;
    void choose_copy(uint32_t boundary, Span& span, Comparison& comparison) const;
    void write_leaf(const Span& span);

    const BinRanges& ranges_;
    const InstructionSet& instructions_;
    CodeWriter& code_;
    RangeLeaves leaves_;
    const Node* weighted_end_;  ///< from here on spans are halved, so that no weights make the tree deep
    Node* end_ = nodes_;        ///< of the path from the root
    Node nodes_[most_comparisons];
};

/// The first leaf of the span with more weight up to its end, or the last one but one.
unsigned RangeTree::first_above(const Span& span, uint32_t weight) const {
    unsigned first = span.first, last = span.last - 1U;
    while (first < last) {
        const unsigned middle = (first + last) / 2;
        if (leaves_.borders[middle].weight_below() <= weight) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

/// How far the heavier part is from what it should have, of parts of so much.
uint32_t error_of(uint32_t below, uint32_t above, uint32_t aim) {
    const uint32_t heavier = below > above ? below : above;
    return heavier > aim ? heavier - aim : aim - heavier;
}

/// The leaf behind which the span is best divided.
unsigned RangeTree::best_border(const Span& span) const {
    if (span.first + 1 == span.last || end_ >= weighted_end_) {
        return (span.first + span.last) / 2U;
    }
    const Border* const borders = leaves_.borders;
    const uint32_t before = span.before.weight_below(), behind = borders[span.last].weight_below();
    const uint32_t aim = (behind - before) * instructions_.eighths_going_on / 8;
    const unsigned second = first_above(span, behind - aim);
    if (second == span.first) {
        return second;
    }
    const uint32_t first_weight = borders[second - 1].weight_below(),
                   second_weight = borders[second].weight_below();
    const uint32_t first_error = error_of(first_weight - before, behind - first_weight, aim);
    const uint32_t second_error = error_of(second_weight - before, behind - second_weight, aim);
    return first_error <= second_error ? second - 1 : second;
}

/// Makes a node of the span; what remains of it is the part that is jumped to.
void RangeTree::divide(Span& span) {
    const unsigned leaf = best_border(span);
    const Border border = leaves_.borders[leaf];
    const uint32_t below = border.weight_below() - span.before.weight_below();
    const uint32_t above = leaves_.borders[span.last].weight_below() - border.weight_below();
    Node& node = *end_++;
    choose_copy(boundary_at(border), span, node.comparison);
    node.comparison.target = no_target;
    node.comparison.jumps_if_below = below <= above;
    node.follower = span;
    Span& left = below <= above ? span : node.follower;
    Span& right = below <= above ? node.follower : span;
    left.last = static_cast<uint16_t>(leaf);
    right.first = static_cast<uint16_t>(leaf + 1);
    right.before = border;
}

/// What comparing size >> shift costs in order to tell on which side of the boundary a size is.
unsigned RangeTree::cost_of(uint32_t boundary, unsigned shift) const {
    const uint32_t constant = boundary >> shift;
    return constant << shift == boundary ? instructions_.cost_of_comparing(constant) : UINT_MAX;
}

/// The shift of another copy, where this comparison costs no more with it than without; 0 where it does. It
/// is chosen for the span's largest boundary, whose constant is long.
unsigned RangeTree::shift_of_copy(uint32_t boundary, const Span& span, unsigned cost_without) const {
    const unsigned cost = instructions_.cost_of_copying;
    const bool becomes_one = (boundary & (boundary - 1)) == 0;
    if (cost_without < cost || (cost_without == cost && !becomes_one)) {
        return 0;
    }
    const unsigned width = bit_width(boundary_at(leaves_.borders[span.last - 1U]));
    unsigned shift = width > instructions_.copy_bits ? width - instructions_.copy_bits : 0;
    while (boundary >> shift << shift != boundary) {
        --shift;
    }
    // What is there already may serve others.
    const unsigned most = span.copy_shift == 0 ? cost_without : cost_without - 1;
    return cost + cost_of(boundary, shift) <= most ? shift : 0;
}

/// Whether the size is compared, or the copy that is there, or another one, for which the span's parts have
/// it.
void RangeTree::choose_copy(uint32_t boundary, Span& span, Comparison& comparison) const {
    unsigned shift = 0, cost = instructions_.cost_of_comparing(boundary);
    if (span.copy_shift != 0 && cost_of(boundary, span.copy_shift) < cost) {
        shift = span.copy_shift;
        cost = cost_of(boundary, shift);
    }
    const unsigned new_shift = shift_of_copy(boundary, span, cost);
    comparison.makes_copy = new_shift != 0;
    if (new_shift != 0) {
        shift = new_shift;
        span.copy_shift = static_cast<uint8_t>(new_shift);
    }
    comparison.constant = boundary >> shift;
    comparison.copy_shift = static_cast<uint8_t>(shift);
}

void RangeTree::write_leaf(const Span& span) {
    const unsigned first = span.before.range();
    if (leaves_.borders[span.first].range() == first + 1) {
        instructions_.return_constant(code_, ranges_.index(first));
        return;
    }
    Run run = run_at(ranges_, first);
    run.copy_shift = span.copy_shift;
    instructions_.return_run(code_, run);
}

void RangeTree::write() {
    Span span = {{}, 0, static_cast<uint16_t>(leaves_.count - 1), 0};
    for (;;) {
        while (span.first != span.last) {
            divide(span);
        }
        code_.prepare();
        write_leaf(span);
        for (; end_ != nodes_ && end_[-1].comparison.target != no_target; --end_) {
            code_.prepare();
            instructions_.compare(code_, end_[-1].comparison);
        }
        if (end_ == nodes_) {
            return;
        }
        end_[-1].comparison.target = code_.written();
        span = end_[-1].follower;
    }
}

}  // namespace

void write_tree(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch,
                CodeWriter& code) {
    RangeTree tree(ranges, instructions, scratch, code);
    tree.write();
}

}  // namespace malloom::codegen::bins
