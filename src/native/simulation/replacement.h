// Which line of a set gives way to a new one.
#pragma once

#include <stdint.h>

#include <bit>
#include <utility>

namespace malloom::native {

/// What an empty way holds. No line has this number: simulated addresses lie below 2^37.
constexpr uint32_t empty_way = UINT32_MAX;

/// Replaces the least recently used line, as valgrind's cachegrind does. A set is `ways` line numbers, the
/// most recently used first.
struct LeastRecentlyUsed {
    static constexpr unsigned state_words = 0;

    /// References `line` in the set at `row`; true on a hit. On a miss the line takes the last place.
    bool reference(uint32_t* row, unsigned ways, uint32_t line) {
        uint32_t carried = line;
        for (unsigned way = 0; way < ways; ++way) {
            std::swap(carried, row[way]);
            if (carried == line) {
                return true;
            }
        }
        return false;
    }
};

/// Replaces by a tree of bits that point away from what was used last: what most hardware builds instead of
/// true LRU. A set is `ways` line numbers and one word of tree bits (node 1 is the root, node n has the
/// children 2n and 2n + 1; a set bit says that the next victim is to the right). Any number of ways up to
/// `most_ways`: leaves beyond the last way are never chosen. Empty ways fill in order.
struct TreePseudoLru {
    static constexpr unsigned state_words = 1;
    static constexpr unsigned most_ways = 32;  ///< a word has a bit for each inner node of so many leaves

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

/// Replaces a random line, as some embedded caches do. Repeatable: every cache begins with the same seed.
/// A set is `ways` line numbers in no order. Empty ways fill in order.
struct RandomReplacement {
    static constexpr unsigned state_words = 0;

    bool reference(uint32_t* row, unsigned ways, uint32_t line) {
        for (unsigned way = 0; way < ways; ++way) {
            if (row[way] == line) {
                return true;
            }
            if (row[way] == empty_way) {
                row[way] = line;
                return false;
            }
        }
        row[next() % ways] = line;  // NOLINT(clang-analyzer-core.DivideZero): every cache has ways
        return false;
    }

  private:
    /// Marsaglia's xorshift32.
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

    uint32_t state_ = 2463534242U;
};

}  // namespace malloom::native
