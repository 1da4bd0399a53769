// Every way to search a bitmap beside a plain twin, and the paper's number of steps.
#include "runtime/structures/freestanding/bit_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/amount.h"

namespace malloom::tests {
namespace {

using namespace structures;

/// A bitmap as bits by themselves.
class PlainBits {
  public:
    explicit PlainBits(const std::vector<uint32_t>& words) {
        for (const uint32_t word : words) {
            for (uint32_t bit = 0; bit < bits_of_word; ++bit) {
                bits_.push_back((word >> bit & 1) != 0);
            }
        }
    }
    bool has_free() const { return std::find(bits_.begin(), bits_.end(), true) != bits_.end(); }
    uint32_t take() {
        const auto found = std::find(bits_.begin(), bits_.end(), true);
        *found = false;
        return static_cast<uint32_t>(found - bits_.begin());
    }
    bool put(uint32_t place) {
        const bool was_free = bits_[place];
        bits_[place] = true;
        return !was_free;
    }

  private:
    std::vector<bool> bits_;
};

template <class Search>
class BitSearch : public testing::Test {};

using Searches = testing::Types<LinearSearch<>, KampSearch<>, CountingSearch<MultipliedZeros>,
                                CountingSearch<BuiltInZeros>, VectorSearch>;
TYPED_TEST_SUITE(BitSearch, Searches);

TYPED_TEST(BitSearch, DoesWhatAPlainTwinDoes) {
    using Bits = SearchInMemory<TypeParam>;
    std::mt19937 random(1);
    for (int round = 0; round < amount(600); ++round) {
        // Whole vectors, as the widest search reads them.
        std::vector<uint32_t> words(4 << random() % 5, 0);
        for (uint32_t& word : words) {
            const uint32_t drawn = random();
            word = drawn % 3 == 0 ? drawn >> 8 & random() : 0;
        }
        PlainBits plain(words);
        for (int step = 0; step < 100; ++step) {
            if (plain.has_free() && random() % 2 == 0) {
                ASSERT_EQ(Bits::take(0, words.data()), plain.take());
            } else {
                const auto place = static_cast<uint32_t>(random() % (words.size() * bits_of_word));
                ASSERT_EQ(Bits::put(0, words.data(), place, false), plain.put(place));
            }
        }
    }
}

TYPED_TEST(BitSearch, FindsEachPlaceThatIsTheOnlyOneAtEachAlignment) {
    constexpr size_t words_of_block = bitmap_block / sizeof(uint32_t);
    alignas(2 * bitmap_block) uint32_t memory[8 + words_of_block] = {};
    for (uint32_t* const words : {memory, memory + words_of_block}) {
        for (uint32_t place = 0; place < 256; ++place) {
            flip(words, place);
            ASSERT_EQ(TypeParam::find(words), place);
            flip(words, place);
        }
    }
}

struct CountedSteps {
    static inline uint64_t count = 0;
    static void step() { ++count; }
};

template <class Search>
double mean_steps_while_it_fills() {
    std::vector<uint32_t> words(8, UINT32_MAX);
    CountedSteps::count = 0;
    for (uint32_t place = 0; place < 256; ++place) {
        EXPECT_EQ(SearchInMemory<Search>::take(0, words.data()), place);
    }
    return static_cast<double>(CountedSteps::count) / 256;
}

TEST(BitSearchSteps, AreThoseOfThePaperWhileAPageFills) {
    EXPECT_DOUBLE_EQ(mean_steps_while_it_fills<LinearSearch<CountedSteps>>(), 4.5 + 2.5 + 4.5);
    EXPECT_DOUBLE_EQ(mean_steps_while_it_fills<KampSearch<CountedSteps>>(), 4.5 + 16.5);
}

}  // namespace
}  // namespace malloom::tests
