// The chunk unit in Verilator beside its model: each answer, and in the end each word of each bitmap.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <Vchunk_unit.h>
#include <Vsmall_chunk_unit.h>
#include "hardware/cosim/simulated_unit.h"
#include "hardware/model/chunk_unit.h"
#include "hardware/model/request.h"

namespace malloom::hardware {
namespace {

struct Paper {
    using Model = Vchunk_unit;
    static constexpr Geometry geometry{4096, 16};
};

struct Small {
    using Model = Vsmall_chunk_unit;
    static constexpr Geometry geometry{512, 8};
};

std::string told(const Request& request) {
    return "opcode " + std::to_string(request.opcode) + " class " + std::to_string(request.size_class) +
           " word " + std::to_string(request.word) + " data " + std::to_string(request.data);
}

using Numbers = std::mt19937;

uint32_t below(Numbers& numbers, uint32_t limit) {
    return static_cast<uint32_t>(numbers() % limit);
}

// With a bit in four set.
uint32_t drawn_word(Numbers& numbers) {
    const auto word = static_cast<uint32_t>(numbers());
    return word & static_cast<uint32_t>(numbers());
}

template <class Composition>
class ChunkUnitTest : public testing::Test {
  protected:
    /// Asks both, with stalls; the answers have to be the same.
    uint32_t ask(const Request& request, Stalls stalls = {}) {
        const uint32_t wanted = model.answer(request);
        EXPECT_EQ(unit.answer(request, stalls), wanted) << told(request);
        return wanted;
    }

    uint32_t ask(Opcode opcode, uint32_t size_class, uint32_t data = 0, uint32_t word = 0) {
        return ask({opcode, static_cast<uint8_t>(size_class), word, data});
    }

    /// Frees all chunks of a class.
    void fill(uint32_t size_class) {
        for (uint32_t word = 0; word < model.bitmap(size_class).words(); ++word)
            ask(load, size_class, ~0u, word);
    }

    void expect_same_bitmaps() {
        for (uint32_t size_class = 0; size_class < model.classes(); ++size_class) {
            for (uint32_t word = 0; word < model.bitmap(size_class).words(); ++word)
                ask(store, size_class, 0, word);
        }
    }

    void reset() {
        unit.reset();
        model.reset();
    }

    /// Finds and frees mostly, and all else that may be asked for, also what is wrong.
    Request drawn(Numbers& numbers) {
        static constexpr uint8_t opcodes[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7};
        const auto size_class = static_cast<uint8_t>(numbers() % (model.classes() + 1));
        const bool is_far = numbers() % 64 == 0;
        const uint32_t chunks = model.classes() > size_class ? model.bitmap(size_class).chunks() : 1;
        const uint8_t opcode = opcodes[numbers() % std::size(opcodes)];
        Request request{opcode, size_class, below(numbers, 9), below(numbers, chunks + 1)};
        if (opcode == load) request.data = drawn_word(numbers);
        if (is_far) {
            request.size_class = static_cast<uint8_t>(numbers());
            request.word = below(numbers, 1u << 24);
            request.data = static_cast<uint32_t>(numbers());
        }
        return request;
    }

    ChunkUnit model{Composition::geometry};
    SimulatedUnit<typename Composition::Model> unit;
};

using Compositions = testing::Types<Paper, Small>;
TYPED_TEST_SUITE(ChunkUnitTest, Compositions);

TYPED_TEST(ChunkUnitTest, NoChunkIsFreeAfterAReset) {
    for (uint32_t size_class = 0; size_class < this->model.classes(); ++size_class) {
        EXPECT_EQ(this->ask(find_chunk, size_class), error_bit);
    }
}

TYPED_TEST(ChunkUnitTest, FindsEveryChunkOnceFromTheLowest) {
    for (uint32_t size_class = 0; size_class < this->model.classes(); ++size_class) {
        this->fill(size_class);
        for (uint32_t chunk = 0; chunk < this->model.bitmap(size_class).chunks(); ++chunk) {
            ASSERT_EQ(this->ask(find_chunk, size_class), chunk);
        }
        EXPECT_EQ(this->ask(find_chunk, size_class), error_bit);
    }
}

TYPED_TEST(ChunkUnitTest, FindsTheOnlyFreeChunk) {
    const uint32_t chunks = this->model.bitmap(0).chunks();
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
        this->ask(free_chunk, 0, chunk);
        EXPECT_EQ(this->ask(find_chunk, 0), chunk);
        EXPECT_EQ(this->ask(find_chunk, 0), error_bit);
    }
}

TYPED_TEST(ChunkUnitTest, AnswersAsTheModelDoesWhateverIsAsked) {
    Numbers numbers(1);
    for (unsigned round = 0; round < 60'000; ++round) {
        const Request request = this->drawn(numbers);
        const Stalls stalls{static_cast<unsigned>(numbers() % 3), static_cast<unsigned>(numbers() % 3)};
        this->ask(request, stalls);
        if (this->HasFailure()) return;
    }
    this->expect_same_bitmaps();
}

TYPED_TEST(ChunkUnitTest, TakesARequestInEachCycle) {
    Numbers numbers(2);
    const uint64_t begin = this->unit.cycles();
    constexpr unsigned rounds = 60'000;
    for (unsigned round = 0; round < rounds; ++round) {
        const Request request = this->drawn(numbers);
        ASSERT_TRUE(this->unit.accepts());
        ASSERT_EQ(this->unit.answer_at_once(request), this->model.answer(request)) << told(request);
    }
    EXPECT_EQ(this->unit.cycles() - begin, rounds);
}

TYPED_TEST(ChunkUnitTest, ARequestWaitsWhileTheAnswerIsNotTaken) {
    this->fill(1);
    this->unit.offer({find_chunk, 1, 0, 0});
    EXPECT_TRUE(this->unit.accepts());
    this->unit.step();
    for (unsigned cycle = 0; cycle < 10; ++cycle) {
        EXPECT_TRUE(this->unit.has_answer());
        EXPECT_FALSE(this->unit.accepts());
        this->unit.step();
    }
    // The request at the ports is taken with the answer: one more chunk, and no third one.
    EXPECT_EQ(this->unit.take(), 0u);
    this->unit.withdraw();
    EXPECT_EQ(this->unit.take(), 1u);
    EXPECT_FALSE(this->unit.has_answer());
    EXPECT_EQ(this->unit.answer({find_chunk, 1, 0, 0}), 2u);
}

TYPED_TEST(ChunkUnitTest, AResetInTheMiddleForgetsRequestAnswerAndError) {
    for (unsigned steps = 0; steps < 4; ++steps) {
        this->fill(0);
        this->ask(free_chunk, 0, 3);
        this->unit.offer({find_chunk, 0, 0, 0});
        for (unsigned step = 0; step < steps; ++step) this->unit.step();
        this->reset();
        EXPECT_FALSE(this->unit.has_answer());
        EXPECT_TRUE(this->unit.accepts());
        EXPECT_EQ(this->ask(status, 0), no_error);
        EXPECT_EQ(this->ask(find_chunk, 0), error_bit);
        this->expect_same_bitmaps();
    }
}

TYPED_TEST(ChunkUnitTest, WhatIsFreedTwiceIsToldByTheNextFind) {
    this->ask(free_chunk, 0, 5);
    EXPECT_EQ(this->ask(free_chunk, 0, 5), 0u);
    EXPECT_EQ(this->ask(find_chunk, 0), error_bit | freed_twice);
    EXPECT_EQ(this->ask(find_chunk, 0), 5u);
    EXPECT_EQ(this->ask(find_chunk, 0), error_bit);
}

TYPED_TEST(ChunkUnitTest, WhatWasNeverAllocatedIsNotFreed) {
    this->fill(2);
    EXPECT_EQ(this->ask(free_chunk, 2, 0), 0u);
    EXPECT_EQ(this->ask(status, 0), freed_twice);
    EXPECT_EQ(this->ask(status, 0), no_error);
}

TYPED_TEST(ChunkUnitTest, AChunkBeyondThePageIsNotFreed) {
    for (uint32_t size_class = 0; size_class < this->model.classes(); ++size_class) {
        const uint32_t chunks = this->model.bitmap(size_class).chunks();
        for (const uint32_t chunk : {chunks, chunks + 1, 2 * chunks, 1u << 31, ~0u}) {
            EXPECT_EQ(this->ask(free_chunk, size_class, chunk), 0u);
            EXPECT_EQ(this->ask(status, size_class), beyond_page);
        }
    }
    this->expect_same_bitmaps();
}

TYPED_TEST(ChunkUnitTest, AClassThatDoesNotExistIsRefused) {
    for (const uint32_t size_class : {this->model.classes(), 15u, 16u, 128u, 255u}) {
        EXPECT_EQ(this->ask(find_chunk, size_class), error_bit | no_such_class);
        EXPECT_EQ(this->ask(load, size_class, ~0u), error_bit | no_such_class);
        EXPECT_EQ(this->ask(status, 0), no_error);
        EXPECT_EQ(this->ask(store, size_class), error_bit | no_such_class);
        EXPECT_EQ(this->ask(status, 0), no_such_class);
        EXPECT_EQ(this->ask(free_chunk, size_class), 0u);
        EXPECT_EQ(this->ask(status, 0), no_such_class);
    }
    this->expect_same_bitmaps();
}

TYPED_TEST(ChunkUnitTest, AWordThatDoesNotExistIsRefused) {
    for (uint32_t size_class = 0; size_class < this->model.classes(); ++size_class) {
        for (const uint32_t word : {this->model.bitmap(size_class).words(), 256u, 0xffffffu}) {
            EXPECT_EQ(this->ask(load, size_class, ~0u, word), error_bit | no_such_request);
            EXPECT_EQ(this->ask(store, size_class, 0, word), error_bit | no_such_request);
            EXPECT_EQ(this->ask(status, size_class), no_such_request);
        }
    }
    this->expect_same_bitmaps();
}

TYPED_TEST(ChunkUnitTest, AnOpcodeThatDoesNotExistIsRefused) {
    this->fill(0);
    for (uint8_t opcode = first_unknown_opcode; opcode < 8; ++opcode) {
        EXPECT_EQ(this->ask({opcode, 0, 0, 0}), error_bit | no_such_request);
    }
    EXPECT_EQ(this->ask(status, 0), no_error);
    this->expect_same_bitmaps();
}

TYPED_TEST(ChunkUnitTest, OfSeveralErrorsTheFirstWaits) {
    this->ask(free_chunk, 0, ~0u);
    this->ask(free_chunk, 255, 0);
    EXPECT_EQ(this->ask(status, 0), beyond_page);
    EXPECT_EQ(this->ask(status, 0), no_error);
}

TYPED_TEST(ChunkUnitTest, AnErrorIsToldByAFindOfAnyClassThatThereIs) {
    this->fill(1);
    this->ask(free_chunk, 0, ~0u);
    EXPECT_EQ(this->ask(find_chunk, 255), error_bit | no_such_class);
    EXPECT_EQ(this->ask(find_chunk, 1), error_bit | beyond_page);
    EXPECT_EQ(this->ask(find_chunk, 1), 0u);
}

}  // namespace
}  // namespace malloom::hardware
