// Layouts of ranges to test bin functions with.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/codegen/bins/bin_ranges.h"
#include "runtime/codegen/bins/table_functions.h"

namespace malloom::tests {

using codegen::bins::BinRanges;

/// Ranges with what they point to. Without indices or weights: null.
struct Layout {
    std::string name;
    std::vector<uint32_t> begins;
    std::vector<uint16_t> indices = {};
    std::vector<uint32_t> weights = {};

    BinRanges ranges() const {
        return {begins.data(), indices.empty() ? nullptr : indices.data(),
                weights.empty() ? nullptr : weights.data(), static_cast<unsigned>(begins.size())};
    }
};

using Random = std::mt19937;

inline uint32_t up_to(Random& random, uint32_t most) {
    return std::uniform_int_distribution<uint32_t>(0, most)(random);
}

inline Layout original_layout() {
    Layout layout = {"original", std::vector<uint32_t>(codegen::bins::original_count)};
    codegen::bins::original_begins(layout.begins.data());
    return layout;
}

inline Layout octave_layout(unsigned count) {
    Layout layout = {"octaves " + std::to_string(count), std::vector<uint32_t>(count)};
    codegen::bins::octave_begins(layout.begins.data(), count);
    return layout;
}

/// Widths of `step` bytes to `widest` steps of it.
inline Layout random_layout(Random& random, unsigned count, uint32_t step, uint32_t widest) {
    Layout layout = {"random " + std::to_string(count) + " of " + std::to_string(step), {0}};
    while (layout.begins.size() < count) {
        layout.begins.push_back(layout.begins.back() + step * (1 + up_to(random, widest - 1)));
    }
    return layout;
}

/// Widths of powers of two, several of the same in a row, some cut off.
inline Layout layout_of_runs(Random& random, unsigned count) {
    Layout layout = {"runs " + std::to_string(count), {0}};
    while (layout.begins.size() < count) {
        const uint32_t width = 1U << up_to(random, 14);
        const unsigned length = 1 + up_to(random, 12);
        uint32_t begin = layout.begins.back();
        if (up_to(random, 1) == 0) {
            begin = begin / width * width;
        }
        for (unsigned range = 0; range < length && layout.begins.size() < count; ++range) {
            layout.begins.push_back(begin += width);
        }
        if (up_to(random, 1) == 0 && width > 1) {
            layout.begins.back() -= up_to(random, width - 1);
        }
    }
    return layout;
}

inline Layout descending(Layout layout) {
    layout.name += ", descending";
    for (size_t left = layout.begins.size(); left-- > 0;) {
        layout.indices.push_back(static_cast<uint16_t>(left));
    }
    return layout;
}

/// Bins up and down by one, by other steps, and anything.
inline Layout with_random_indices(Random& random, Layout layout) {
    layout.name += ", random bins";
    uint32_t index = up_to(random, UINT16_MAX);
    while (layout.indices.size() < layout.begins.size()) {
        const uint32_t step = up_to(random, 3) == 0 ? up_to(random, UINT16_MAX) : 2 * up_to(random, 1) - 1;
        for (uint32_t left = up_to(random, 9); left-- > 0 && layout.indices.size() < layout.begins.size();) {
            layout.indices.push_back(static_cast<uint16_t>(index += step));
        }
    }
    return layout;
}

/// Most of it on few ranges.
inline Layout with_random_weights(Random& random, Layout layout, uint32_t most) {
    layout.name += ", weights to " + std::to_string(most);
    for (size_t range = 0; range < layout.begins.size(); ++range) {
        const double share = std::pow(std::generate_canonical<double, 32>(random), 8);
        layout.weights.push_back(static_cast<uint32_t>(share * most));
    }
    return layout;
}

/// Of all kinds.
inline std::vector<Layout> various_layouts() {
    Random random(11);
    std::vector<Layout> plain = {original_layout(),
                                 octave_layout(codegen::bins::octave_parts),
                                 {"one", {0}},
                                 {"one that begins late", {77}},
                                 {"two", {0, 1}},
                                 {"three", {0, 5000, 5001}},
                                 {"large",
                                  {0, 1U << 30, (1U << 30) + 4096, 0x7ffff7ff, 0x7ffff800, 0x7fffffff,
                                   1U << 31, 0x80000001, 0xc0000000, 0xffff0000, 0xffffffff}},
                                 random_layout(random, 1024, 1, 4000),
                                 random_layout(random, 1024, 4096, 1000)};
    for (unsigned count = 2; count < 200; count = count * 5 / 4 + 1) {
        plain.push_back(random_layout(random, count, 1, 5000));
        plain.push_back(random_layout(random, count, 8, 100));
        plain.push_back(layout_of_runs(random, count));
    }
    std::vector<Layout> layouts;
    for (const Layout& layout : plain) {
        layouts.push_back(layout);
        layouts.push_back(descending(layout));
        layouts.push_back(with_random_indices(random, layout));
        layouts.push_back(with_random_weights(random, layout, 1000));
        layouts.push_back(with_random_weights(random, descending(layout), UINT32_MAX));
    }
    return layouts;
}

}  // namespace malloom::tests
