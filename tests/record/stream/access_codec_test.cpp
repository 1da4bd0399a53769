#include "record/stream/access_codec.h"

#include <gtest/gtest.h>
#include <string.h>

#include <random>
#include <vector>

#include "formats/profile.h"
#include "record/stream/access_encoder.h"
#include "tests/amount.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;

uint64_t random_entry(std::mt19937_64& random) {
    const uint64_t bits = random();
    if (bits % 16 == 0)
        return (bits % 3 + 1) << access_kind_shift | (random() & access_ticket_mask) >> (bits % 50);
    const uint64_t address =
        bits % 3 == 0 ? random() & access_address_mask : 0x7f0000001000 + random() % 4096;
    return address | (random() % 32) << access_size_shift;
}

std::vector<uint64_t> random_entries(unsigned seed, size_t count) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> entries(count);
    for (uint64_t& entry : entries) entry = random_entry(random);
    return entries;
}

std::vector<unsigned char> encoded(const std::vector<uint64_t>& entries) {
    std::vector<unsigned char> payload(encode_accesses_bound(entries.size()));
    payload.resize(encode_accesses(entries.data(), entries.size(), payload.data()));
    return payload;
}

TEST(AccessCodec, RoundTripsEntriesOfEveryKind) {
    for (const size_t count : {0, 1, 2, 1000, 50000}) {
        const auto entries = random_entries(static_cast<unsigned>(count), count);
        const auto payload = encoded(entries);
        std::vector<uint64_t> decoded(count);
        ASSERT_TRUE(decode_accesses(payload.data(), payload.size(), decoded.data(), count)) << count;
        EXPECT_EQ(decoded, entries);
    }
}

TEST(AccessCodec, HasRoomForMarkersThatTakeMost) {
    for (const size_t markers : {20, 1000, 100000}) {
        std::vector<uint64_t> entries = {0x7f0000001000};
        for (size_t i = 0; i < markers; ++i)
            entries.push_back(uint64_t{1} << access_kind_shift | (i % 2 != 0 ? access_ticket_mask : 0));
        const auto payload = encoded(entries);
        std::vector<uint64_t> decoded(entries.size());
        ASSERT_TRUE(decode_accesses(payload.data(), payload.size(), decoded.data(), decoded.size()));
        EXPECT_EQ(decoded, entries);
    }
}

TEST(AccessCodec, TakesFewBytesForAStride) {
    std::vector<uint64_t> entries(10000);
    for (size_t i = 0; i < entries.size(); ++i)
        entries[i] = (0x5555'0000'0000 + 8 * i) | uint64_t{3} << access_size_shift;
    EXPECT_LT(encoded(entries).size(), entries.size() * 3 + 100);
}

TEST(AccessCodec, RefusesAnotherCountAndEveryCut) {
    const auto entries = random_entries(7, 300);
    const auto payload = encoded(entries);
    std::vector<uint64_t> decoded(301);
    EXPECT_FALSE(decode_accesses(payload.data(), payload.size(), decoded.data(), 299));
    EXPECT_FALSE(decode_accesses(payload.data(), payload.size(), decoded.data(), 301));
    for (size_t bytes = 0; bytes < payload.size(); ++bytes) {
        // A copy of exactly that size, so that a sanitizer sees a read beyond it.
        const std::vector<unsigned char> cut(payload.begin(),
                                             payload.begin() + static_cast<std::ptrdiff_t>(bytes));
        ASSERT_FALSE(decode_accesses(cut.data(), cut.size(), decoded.data(), 300)) << bytes;
    }
}

TEST(AccessCodec, SurvivesMutations) {
    const auto entries = random_entries(11, 200);
    const auto payload = encoded(entries);
    std::mt19937_64 random(1);
    std::vector<uint64_t> decoded(200);
    size_t refused = 0;
    for (int i = 0; i < tests::amount(20000); ++i) {
        std::vector<unsigned char> mutated = payload;
        for (unsigned j = 0; j <= random() % 3; ++j)
            mutated[random() % mutated.size()] = static_cast<unsigned char>(random());
        if (!decode_accesses(mutated.data(), mutated.size(), decoded.data(), decoded.size())) {
            ++refused;
            continue;
        }
        // What is accepted is a list of entries like any other.
        const auto again = encoded(decoded);
        std::vector<uint64_t> twice(decoded.size());
        ASSERT_TRUE(decode_accesses(again.data(), again.size(), twice.data(), twice.size()));
        ASSERT_EQ(twice, decoded);
    }
    EXPECT_GT(refused, 100u);
}

class Shapes : public testing::Test {
  protected:
    static constexpr size_t words = 1000;

    void SetUp() override {
        payload_.resize(AccessEncoder::payload_bound(words));
        encoder_.use({payload_.data(), payload_.size(), states_, slots_});
    }

    std::vector<uint64_t> finished(size_t count) {
        std::vector<uint64_t> decoded(count);
        EXPECT_EQ(encoder_.entries(), count);
        const size_t bytes = encoder_.finish();
        EXPECT_TRUE(decode_accesses(payload_.data(), bytes, decoded.data(), count));
        return decoded;
    }

    const ShapedAccess accesses_[3] = {{8, 0, 3}, {-16, 1, 2 | 16}, {0, 0, 6}};
    const int32_t first_offsets_[2] = {8, -16};
    const AccessShape shape_{1, 5, 2, 3, accesses_, first_offsets_};
    std::vector<unsigned char> payload_;
    AccessEncoder::ShapeState states_[4] = {};
    uint64_t slots_[8] = {};
    AccessEncoder encoder_;
};

TEST_F(Shapes, BecomeTheirAccessesInOrder) {
    encoder_.begin();
    const uint64_t first[] = {0x1000, 0x7ffff0000010}, second[] = {0x2000, 0x7ffff0000020};
    encoder_.put(shape_, first);
    encoder_.put_marker(uint64_t{1} << access_kind_shift | 99);
    encoder_.put(shape_, second);
    const std::vector<uint64_t> expected = {
        entry_of(accesses_[0], first[0]),  entry_of(accesses_[1], first[1]),
        entry_of(accesses_[2], first[0]),  uint64_t{1} << access_kind_shift | 99,
        entry_of(accesses_[0], second[0]), entry_of(accesses_[1], second[1]),
        entry_of(accesses_[2], second[0])};
    EXPECT_EQ(finished(7), expected);
}

// A seeded fault: more is put than has room.
TEST_F(Shapes, AColumnInTheNextOneIsAFault) {
    encoder_.begin();
    EXPECT_TRUE(encoder_.is_valid());
    EXPECT_DEATH(
        {
            const uint64_t marker = uint64_t{1} << access_kind_shift;
            for (int beyond = 0; beyond < 100; beyond += !encoder_.has_room()) encoder_.put_marker(marker);
            encoder_.finish();
        },
        "malloom: fault of malloom's own: access_encoder.cpp:.*is_valid");
}

TEST_F(Shapes, MayHaveBasesOutsideTheAddressSpace) {
    encoder_.begin();
    const uint64_t bases[] = {~uint64_t{0} - 7, uint64_t{1} << 63};
    encoder_.put(shape_, bases);
    EXPECT_EQ(finished(3)[0] & access_address_mask, 0u);
}

// Their slots would take far more memory than the payload has bytes.
TEST_F(Shapes, OfMoreBasesThanAccessesAreRefused) {
    encoder_.begin();
    const uint64_t bases[] = {0x1000, 0x2000};
    encoder_.put({1, 5, 2, 1, accesses_, first_offsets_}, bases);
    const size_t bytes = encoder_.finish();
    uint64_t entry = 0;
    EXPECT_FALSE(decode_accesses(payload_.data(), bytes, &entry, 1));
}

TEST_F(Shapes, AreDefinedInEveryPayloadAnew) {
    const uint64_t bases[] = {0x1000, 0x2000};
    std::vector<uint64_t> before;
    for (int i = 0; i < 3; ++i) {
        encoder_.begin();
        encoder_.put(shape_, bases);
        encoder_.put(shape_, bases);
        const auto decoded = finished(6);
        if (i > 0) {
            EXPECT_EQ(decoded, before);
        }
        before = decoded;
    }
}

}  // namespace
}  // namespace malloom::stream
