#include "record/stream/varint.h"

#include <gtest/gtest.h>

#include <random>

namespace malloom::stream {
namespace {

TEST(Varint, RoundTripsEveryWidth) {
    std::mt19937_64 random(7);
    for (unsigned shift = 0; shift < 64; ++shift) {
        for (const uint64_t value : {random() >> shift, ~uint64_t{0} >> shift, uint64_t{1} << shift}) {
            unsigned char bytes[max_varint_bytes];
            unsigned char* const end = put_varint(bytes, value);
            uint64_t read = 0;
            EXPECT_EQ(get_varint(bytes, end, read), end);
            EXPECT_EQ(read, value);
        }
    }
}

TEST(Varint, RefusesACutAndAnOverflow) {
    uint64_t value = 0;
    const unsigned char cut[] = {0x80, 0x80};
    EXPECT_EQ(get_varint(cut, cut + sizeof cut, value), nullptr);
    const unsigned char too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    EXPECT_EQ(get_varint(too_long, too_long + sizeof too_long, value), nullptr);
}

TEST(Varint, ZigzagKeepsSmallDifferencesSmall) {
    EXPECT_EQ(zigzag(0), 0u);
    EXPECT_EQ(zigzag(static_cast<uint64_t>(-1)), 1u);
    EXPECT_EQ(zigzag(1), 2u);
    for (const uint64_t value :
         {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0} >> 1})
        EXPECT_EQ(unzigzag(zigzag(value)), value);
}

}  // namespace
}  // namespace malloom::stream
