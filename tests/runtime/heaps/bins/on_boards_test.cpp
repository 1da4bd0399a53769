// What boards look at of the bin heap (on_boards/), on the host: with sanitizers where these are.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/amount.h"
#include "tests/runtime/heaps/bins/on_boards/bad_input.h"
#include "tests/runtime/heaps/bins/on_boards/conformance.h"
#include "tests/runtime/heaps/bins/on_boards/overwritten_tags.h"
#include "tests/runtime/heaps/bins/on_boards/random_operations.h"

namespace malloom::tests {
namespace {

using namespace on_boards;

class OnBoards : public testing::Test {
  protected:
    OnBoards()
        : memory_(
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
          code_(static_cast<unsigned char*>(memory_), Surroundings::least_code_bytes, make_visible),
          here{static_cast<unsigned char*>(memory_) + Surroundings::least_code_bytes,
               Surroundings::least_bytes, code_} {
        EXPECT_NE(memory_, MAP_FAILED);
    }
    ~OnBoards() override { munmap(memory_, bytes); }

    void expect_all() const {
        EXPECT_GT(expectations.count(), 1'000u);
        EXPECT_TRUE(expectations.hold()) << expectations.wrong_part() << ": it does not hold that "
                                         << expectations.wrong() << " (" << expectations.about() << ")";
    }

  private:
    static constexpr size_t bytes = Surroundings::least_code_bytes + Surroundings::least_bytes;
    static void make_visible(void* begin, size_t count) {
        __builtin___clear_cache(static_cast<char*>(begin), static_cast<char*>(begin) + count);
    }

    void* memory_;
    CodeMemory code_;

  protected:
    Surroundings here;
    Expectations expectations;
};

TEST_F(OnBoards, WhatIsPromisedHolds) {
    Conformance(here, expectations).run();
    expect_all();
    EXPECT_GT(here.code_memory.waited, 30u) << "functions are generated";
}

TEST_F(OnBoards, WrongCallsAreRefused) {
    BadInput(here, expectations).run();
    expect_all();
}

TEST_F(OnBoards, OverwrittenTagsAreNoticed) {
    OverwrittenTags(here, expectations).run();
    expect_all();
}

TEST_F(OnBoards, RandomOperationsLeaveTheHeapWhole) {
    for (uint32_t seed = 0; seed < amount(300U) && expectations.hold(); ++seed) {
        RandomOperations(here, expectations, seed).run(1'000);
    }
    expect_all();
}

}  // namespace
}  // namespace malloom::tests
