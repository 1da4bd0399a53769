// Trees by bisection of weights, which costs at most two comparisons more than the weights' entropy (Mehlhorn
// 1975): each comparison divides a span of leaves where that balances best, and so on within both parts. Where
// jumping takes longer than going on, the heavier part should have more than half, and is what follows the
// comparison (Altenkamp and Mehlhorn 1980, on letters of unequal cost).
//
// Parts are visited depth first, and their code is written before the comparison: first the part that is jumped
// to, then the one that follows. Only the path from the root is remembered.
#include "runtime/codegen/bins/range_tree.h"

#include <limits.h>

#include "runtime/codegen/bins/bits.h"
#include "runtime/codegen/bins/range_leaves.h"

namespace malloom::codegen::bins {
namespace {

/// Leaves of which a size's is yet to be found out, by their numbers.
struct Span {
    uint16_t first;
    uint16_t last;
    uint8_t copy_shift;  ///< of the copy of the size that is there; 0: none is
};

/// A comparison whose code is yet to be written, since that of its parts is not complete.
struct Node {
    Comparison comparison;
    bool has_target;  ///< the part that is jumped to is written
    Span follower;    ///< the other one
};

class RangeTree {
  public:
    RangeTree(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch, CodeWriter& code)
        : ranges_(ranges),
          instructions_(instructions),
          code_(code),
          leaves_(find_leaves(ranges, scratch)),
          weighted_depth_(bit_width(leaves_.count - 1) + 2) {}

    void write();

  private:
    uint32_t weight_below(unsigned leaf) const { return leaf == 0 ? 0 : leaves_.borders[leaf - 1].weight_below(); }
    unsigned first_range(unsigned leaf) const { return leaf == 0 ? 0 : leaves_.borders[leaf - 1].range(); }
    unsigned first_above(const Span& span, uint32_t weight) const;
    unsigned best_border(const Span& span) const;
    void divide(Span& span);
    unsigned cost_of(uint32_t boundary, unsigned shift) const;
    void choose_copy(uint32_t boundary, Span& span, Comparison& comparison) const;
    void write_leaf(const Span& span);

    const BinRanges& ranges_;
    const InstructionSet& instructions_;
    CodeWriter& code_;
    RangeLeaves leaves_;
    unsigned weighted_depth_;  ///< from here on spans are halved, so that no weights make the tree deep
    unsigned depth_ = 0;
    Node nodes_[most_comparisons];
};

/// The first leaf of the span with more weight up to its border, or the last one but one.
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
    if (depth_ >= weighted_depth_) {
        return (span.first + span.last) / 2U;
    }
    const uint32_t before = weight_below(span.first), behind = weight_below(span.last + 1U);
    const uint32_t aim = (behind - before) * instructions_.eighths_going_on / 8;
    const unsigned second = first_above(span, behind - aim);
    if (second == span.first) {
        return second;
    }
    const uint32_t first_weight = weight_below(second), second_weight = weight_below(second + 1);
    const uint32_t first_error = error_of(first_weight - before, behind - first_weight, aim);
    const uint32_t second_error = error_of(second_weight - before, behind - second_weight, aim);
    return first_error <= second_error ? second - 1 : second;
}

/// Makes a node of the span; what remains of it is the part that is jumped to.
void RangeTree::divide(Span& span) {
    const unsigned leaf = best_border(span);
    const uint32_t middle = weight_below(leaf + 1);
    Node& node = nodes_[depth_++];
    choose_copy(ranges_.begins[first_range(leaf + 1)], span, node.comparison);
    node.has_target = false;
    node.follower = span;
    const bool jumps_if_below = middle - weight_below(span.first) <= weight_below(span.last + 1U) - middle;
    node.comparison.jumps_if_below = jumps_if_below;
    (jumps_if_below ? span : node.follower).last = static_cast<uint16_t>(leaf);
    (jumps_if_below ? node.follower : span).first = static_cast<uint16_t>(leaf + 1);
}

/// What comparing size >> shift costs in order to tell on which side of the boundary a size is.
unsigned RangeTree::cost_of(uint32_t boundary, unsigned shift) const {
    const uint32_t constant = boundary >> shift;
    return constant << shift == boundary ? instructions_.cost_of_comparing(constant) : UINT_MAX;
}

/// Whether the size is compared, or the copy that is there, or another one: where this costs no more, for the
/// span's parts, of which the largest boundary, whose constant is long, should be short for it.
void RangeTree::choose_copy(uint32_t boundary, Span& span, Comparison& comparison) const {
    unsigned shift = 0, cost = instructions_.cost_of_comparing(boundary);
    comparison.makes_copy = false;
    if (span.copy_shift != 0 && cost_of(boundary, span.copy_shift) < cost) {
        shift = span.copy_shift;
        cost = cost_of(boundary, shift);
    }
    const unsigned cost_of_copying = instructions_.cost_of_copying;
    const bool becomes_one = (boundary & (boundary - 1)) == 0;
    if (cost > cost_of_copying || (cost == cost_of_copying && becomes_one)) {
        const unsigned width = bit_width(ranges_.begins[first_range(span.last)]);
        unsigned new_shift = width > instructions_.copy_bits ? width - instructions_.copy_bits : 0;
        while (boundary >> new_shift << new_shift != boundary) {
            --new_shift;
        }
        const unsigned new_cost = cost_of_copying + cost_of(boundary, new_shift);
        if (new_cost < cost || (new_cost == cost && span.copy_shift == 0)) {
            shift = new_shift;
            span.copy_shift = static_cast<uint8_t>(shift);
            comparison.makes_copy = true;
        }
    }
    comparison.constant = boundary >> shift;
    comparison.copy_shift = static_cast<uint8_t>(shift);
}

void RangeTree::write_leaf(const Span& span) {
    const unsigned first = first_range(span.first);
    if (first_range(span.first + 1U) == first + 1) {
        instructions_.return_constant(code_, ranges_.index(first));
        return;
    }
    Run run = run_at(ranges_, first);
    run.copy_shift = span.copy_shift;
    instructions_.return_run(code_, run);
}

void RangeTree::write() {
    Span span = {0, static_cast<uint16_t>(leaves_.count - 1), 0};
    for (;;) {
        while (span.first != span.last) {
            divide(span);
        }
        code_.prepare();
        write_leaf(span);
        for (; depth_ != 0 && nodes_[depth_ - 1].has_target; --depth_) {
            code_.prepare();
            instructions_.compare(code_, nodes_[depth_ - 1].comparison);
        }
        if (depth_ == 0) {
            return;
        }
        Node& node = nodes_[depth_ - 1];
        node.comparison.target = code_.written();
        node.has_target = true;
        span = node.follower;
    }
}

}  // namespace

void write_tree(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch, CodeWriter& code) {
    RangeTree tree(ranges, instructions, scratch, code);
    tree.write();
}

}  // namespace malloom::codegen::bins
