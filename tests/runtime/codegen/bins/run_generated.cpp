// Generates bin functions for the machine that it runs on and calls them: of layouts of all kinds, for all
// sizes that are near a begin, and small ones one by one. Prints how many there were and the bytes that
// dlmalloc's bins take. Its exit status is 0, or 1 with a line that says what was wrong.
#include "firmware/board.h"
#include "runtime/codegen/bins/bin_code.h"
#include "runtime/codegen/bins/table_functions.h"

namespace malloom::tests {
namespace {

using namespace codegen::bins;

constexpr unsigned layouts = 100;
constexpr uint32_t small_bytes = 16384;

struct Random {
    uint32_t state;

    /// Marsaglia's xorshift.
    uint32_t next() {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^= state << 5;
    }
    uint32_t below(uint32_t end) { return next() % end; }
};

struct Layout {
    uint32_t begins[most_ranges];
    uint16_t indices[most_ranges];
    uint32_t weights[most_ranges];
};
Layout layout;
uint32_t scratch[most_ranges];

/// Until there are `count` of them or sizes end.
unsigned fill_begins(Random& random, unsigned count) {
    const unsigned widest = 1 + random.below(20);
    const uint32_t step = 1U << random.below(6);
    const bool has_runs = random.below(2) == 0;
    uint32_t width = step;
    layout.begins[0] = random.below(2);
    for (unsigned range = 1; range < count; ++range) {
        const uint32_t begin = range == 1 ? 0 : layout.begins[range - 1];
        if (!has_runs) {
            width = step * (1 + random.below(1U << widest));
        } else if (random.below(8) == 0) {
            width = step << random.below(widest);
        }
        if (begin + width < begin) {
            return range;
        }
        layout.begins[range] = begin + width;
    }
    return count;
}

void fill_indices_and_weights(Random& random, unsigned count) {
    const unsigned bits = random.below(32);
    uint32_t index = random.next(), step = 0;
    for (unsigned range = 0; range < count; ++range) {
        if (random.below(8) == 0) {
            step = random.below(4) == 0 ? random.next() : random.below(2) * 2 - 1;
        }
        layout.indices[range] = static_cast<uint16_t>(index += step);
        layout.weights[range] = random.next() >> bits >> random.below(16);
    }
}

BinRanges next_ranges(Random& random) {
    unsigned count = 1 + random.below(random.below(10) == 0 ? most_ranges : 100);
    count = fill_begins(random, count);
    fill_indices_and_weights(random, count);
    return {layout.begins, random.below(2) == 0 ? nullptr : layout.indices,
            random.below(2) == 0 ? nullptr : layout.weights, count};
}

bool is_right_for_small_sizes(BinFunction function, const BinRanges& ranges) {
    for (uint32_t size = 0; size < small_bytes; size += size < 1024 ? 1 : 56) {
        if (function(size) != branching_search(ranges, size)) {
            return false;
        }
    }
    return true;
}

/// The bytes of the function; 0 where it is wrong.
size_t bytes_where_right(const BinRanges& ranges, bool has_landing_pad) {
    const board_range room = board_memory();
    const size_t room_bytes = 32U << 10;
    const GeneratedCode code =
        generate(ranges, *own_instruction_set(), scratch, room.begin, room_bytes, has_landing_pad);
    if (code.problem != CodeProblem::none) {
        return 0;
    }
    board_flush_instruction_cache(room.begin, room_bytes);
    const BinFunction function = function_at(code.begin);
    return is_right(function, ranges) && is_right_for_small_sizes(function, ranges) ? code.bytes : 0;
}

int fail(const char* what, unsigned number) {
    board_write(what);
    board_write_number(number);
    board_write(" is wrong\n");
    return 1;
}

int first_wrong() {
    Random random = {2463534242U};
    original_begins(layout.begins);
    const size_t bytes = bytes_where_right({layout.begins, nullptr, nullptr, original_count}, false);
    if (bytes == 0) {
        return fail("the function of dlmalloc's bins ", original_count);
    }
    for (unsigned number = 0; number < layouts; ++number) {
        if (bytes_where_right(next_ranges(random), number % 2 == 0) == 0) {
            return fail("the function of layout ", number);
        }
    }
    board_write_number(layouts);
    board_write(" layouts, dlmalloc's bins in ");
    board_write_number(bytes);
    board_write(" bytes\n");
    return 0;
}

}  // namespace
}  // namespace malloom::tests

int main() {
    return malloom::tests::first_wrong();
}
