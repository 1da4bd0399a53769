#include <gtest/gtest.h>

#include <random>

#include "tests/amount.h"
#include "tests/runtime/heaps/bins/operations.h"

namespace malloom::tests {
namespace {

TEST(RandomOperations, LeaveTheHeapWhole) {
    for (unsigned seed = 0; seed < amount(400U); ++seed) {
        std::mt19937 random(seed);
        std::vector<uint8_t> bytes(seed % 20 == 0 ? 60'000 : 3'000);
        for (uint8_t& each : bytes) {
            each = static_cast<uint8_t>(random());
        }
        EXPECT_EQ(OperatedHeap(Choices(bytes)).run(), "") << "seed " << seed;
    }
}

}  // namespace
}  // namespace malloom::tests
