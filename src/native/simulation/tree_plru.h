// Replaces by a tree of bits that point away from what was used last: what most hardware builds instead of
// true LRU.
#pragma once

#include <stdint.h>

#include <bit>

#include "src/native/simulation/ways.h"

namespace malloom::native {

/// A set is `ways` line numbers and one word of tree bits (node 1 is the root, node n has the children 2n and
/// 2n + 1; a set bit says that the next victim is to the right). At most 32 ways, any number: leaves beyond
/// the last way are never chosen. Empty ways fill in order.
struct TreePseudoLru {
    static constexpr unsigned state_words = 1;

    bool reference(uint32_t* row, unsigned ways, uint32_t line) {
        uint32_t& tree = row[ways];
        unsigned way = 0;
        while (way < ways && row[way] != line && row[way] != empty_way) {
            ++way;
        }
        const bool is_hit = way < ways && row[way] == line;
        if (way == ways) {
            way = victim(tree, ways);
        }
        row[way] = line;
        tree = pointed_away(tree, leaves(ways), way);
        return is_hit;
    }

  private:
    static unsigned leaves(unsigned ways) { return std::bit_ceil(ways); }

    static uint32_t pointed_away(uint32_t tree, unsigned leaf_count, unsigned way) {
        for (unsigned node = leaf_count + way; node > 1; node /= 2) {
            const uint32_t bit = uint32_t{1} << (node / 2);
            tree = (node & 1) != 0 ? tree & ~bit : tree | bit;
        }
        return tree;
    }

    static unsigned victim(uint32_t tree, unsigned ways) {
        const unsigned leaf_count = leaves(ways);
        unsigned node = 1;
        unsigned span = leaf_count;  // leaves under the node
        unsigned first = 0;          // its leftmost leaf
        while (span > 1) {
            span /= 2;
            const bool right = ((tree >> node) & 1) != 0 && first + span < ways;
            node = 2 * node + (right ? 1 : 0);
            first += right ? span : 0;
        }
        return first;
    }
};

}  // namespace malloom::native
