#include "record/stream/event_codec.h"

#include <gtest/gtest.h>
#include <string.h>

#include <random>
#include <vector>

#include "tests/amount.h"
#include "tests/record/stream/event_source.h"

namespace malloom::stream {
namespace {

using formats::profile::EventRecord;

std::vector<unsigned char> encoded(const std::vector<EventRecord>& events) {
    std::vector<unsigned char> bytes(encode_events_bound(events.size()));
    const uint64_t first = events.empty() ? 1 : events[0].ticket;
    bytes.resize(encode_events(events.data(), events.size(), first, bytes.data()));
    // On the heap to the byte, so that the address sanitizer sees a read beyond the end.
    return {bytes.begin(), bytes.end()};
}

TEST(EventCodec, RoundTripsEveryKindAndWidth) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto events = make_events(seed, seed * 7 % 501, 1 + seed * 1000, seed % 2 != 0);
        const auto bytes = encoded(events);
        std::vector<EventRecord> read(events.size());
        const uint64_t first = events.empty() ? 1 : events[0].ticket;
        ASSERT_TRUE(decode_events(bytes.data(), bytes.size(), first, read.data(), read.size())) << seed;
        for (size_t i = 0; i < events.size(); ++i)
            ASSERT_EQ(memcmp(&read[i], &events[i], sizeof(EventRecord)), 0) << seed << " " << i;
    }
}

TEST(EventCodec, StaysWithinItsBound) {
    std::vector<EventRecord> widest(1000);
    for (size_t i = 0; i < widest.size(); ++i) {
        widest[i] = {i % 2 == 0 ? ~uint64_t{0} >> 1 : 1,
                     ~uint64_t{0},
                     1 + i * (uint64_t{1} << 50),
                     ~uint32_t{0},
                     1,
                     63,
                     0};
    }
    std::vector<unsigned char> bytes(encode_events_bound(widest.size()));
    EXPECT_LE(encode_events(widest.data(), widest.size(), widest[0].ticket, bytes.data()), bytes.size());
}

TEST(EventCodec, RefusesAnotherCountAndEveryCut) {
    const auto events = make_events(3, 50, 1, true);
    const auto bytes = encoded(events);
    std::vector<EventRecord> read(60);
    EXPECT_FALSE(decode_events(bytes.data(), bytes.size(), 1, read.data(), 49));
    EXPECT_FALSE(decode_events(bytes.data(), bytes.size(), 1, read.data(), 51));
    for (size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<unsigned char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_FALSE(decode_events(cut.data(), cut.size(), 1, read.data(), 50)) << size;
    }
}

TEST(EventCodec, SurvivesMutations) {
    std::mt19937_64 random(11);
    const auto events = make_events(5, 40, 1, true);
    const auto original = encoded(events);
    std::vector<EventRecord> read(events.size());
    size_t refused = 0;
    for (int round = 0; round < tests::amount(200'000); ++round) {
        auto bytes = original;
        for (uint64_t changes = 1 + random() % 3; changes != 0; --changes)
            bytes[random() % bytes.size()] = static_cast<unsigned char>(random());
        if (!decode_events(bytes.data(), bytes.size(), 1, read.data(), read.size())) {
            ++refused;
            continue;
        }
        for (const EventRecord& event : read) ASSERT_TRUE(event.kind >= 1 && event.kind <= 8);
    }
    EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace malloom::stream
