#include "record/stream/records.h"

#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;

ChunkHeader header_of(ChunkKind kind, Codec codec, uint32_t stored_bytes, uint32_t decoded_bytes) {
    ChunkHeader header{};
    header.kind = static_cast<uint16_t>(kind);
    header.codec = static_cast<uint16_t>(codec);
    header.stored_bytes = stored_bytes;
    header.decoded_bytes = decoded_bytes;
    return header;
}

TEST(Records, AreBelievedAsFarAsTheBytesCanHoldThem) {
    for (const ChunkKind kind : {ChunkKind::events, ChunkKind::accesses}) {
        ChunkHeader header = header_of(kind, Codec::plain, 1000, 1000);
        header.records = 100;
        EXPECT_EQ(believable_records(header), 100u);
        for (const uint64_t claimed : {uint64_t{1} << 34, uint64_t{1} << 61, ~uint64_t{0}}) {
            header.records = claimed;
            EXPECT_EQ(believable_records(header), kind == ChunkKind::events ? 500u : 128'000u);
        }
        header.decoded_bytes = UINT32_MAX;
        EXPECT_EQ(believable_records(header), kind == ChunkKind::events ? 500u : 128'000u);
    }
}

TEST(Records, OfManyAreRefusedWithoutMemoryForThem) {
    const auto events = make_events(1, 10, 1, false);
    std::vector<unsigned char> payload(encode_events_bound(10));
    payload.resize(encode_events(events.data(), 10, 1, payload.data()));
    ChunkHeader header = header_of(ChunkKind::events, Codec::plain, 0, 0);
    header.first_ticket = 1;
    header.records = 10;
    std::vector<EventRecord> read;
    std::vector<uint64_t> entries;
    EXPECT_TRUE(read_events(header, payload, read));
    for (const uint64_t claimed : {uint64_t{9}, uint64_t{11}, uint64_t{1} << 34, uint64_t{1} << 61}) {
        header.records = claimed;
        header.kind = static_cast<uint16_t>(ChunkKind::events);
        EXPECT_FALSE(read_events(header, payload, read));
        header.kind = static_cast<uint16_t>(ChunkKind::accesses);
        EXPECT_FALSE(read_entries(header, payload, entries));
    }
    EXPECT_LT(read.capacity() + entries.capacity(), 100'000u);
}

TEST(Records, OfEventsAreNoMoreThanAnyStageHas) {
    ChunkHeader header = header_of(ChunkKind::events, Codec::plain, 1 << 30, 1 << 30);
    header.records = ~uint64_t{0};
    EXPECT_EQ(believable_records(header), most_events);
}

// One frame of one block, which says to become 4 GiB.
TEST(Records, OfFewBytesDoNotBecomeMany) {
    const std::vector<unsigned char> frame = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff,
                                              0xff, 0xff, 0x03, 0x00, 0x10, 0x00};
    auto bytes = plain_chunk({ChunkKind::events, 42, 7, 0, 1, 1}, frame);
    bytes = with_header(bytes, [](ChunkHeader& header) {
        header.codec = static_cast<uint16_t>(Codec::zstd);
        header.decoded_bytes = UINT32_MAX;
    });
    ChunkView chunk{};
    memcpy(&chunk.header, bytes.data(), sizeof chunk.header);
    chunk.stored = bytes.data() + sizeof chunk.header;
    std::vector<unsigned char> payload;
    EXPECT_FALSE(ChunkReader::decode(chunk, payload));
    EXPECT_LT(payload.capacity(), 1u << 20);
}

TEST(Records, ThatCannotBeAreFound) {
    const EventRecord good{0x7000'0000'1000, 64, 5, 1, static_cast<uint8_t>(EventKind::allocate), 12, 0};
    EXPECT_EQ(plausible_events(&good, 1, 4), 1u);
    EXPECT_EQ(plausible_events(&good, 1, 5), 0u);
    const auto is_plausible = [&good](auto&& change) {
        EventRecord event = good;
        change(event);
        return plausible_events(&event, 1, 0) == 1;
    };
    for (const unsigned kind : {0, 9, 15, 16, 17, 32, 33, 64, 255}) {
        EXPECT_FALSE(is_plausible([=](EventRecord& event) { event.kind = static_cast<uint8_t>(kind); }))
            << kind;
    }
    for (const unsigned alignment : {13, 47, 63, 64, 128, 255}) {
        const auto aligned = [=](EventRecord& event) { event.alignment = static_cast<uint8_t>(alignment); };
        EXPECT_FALSE(is_plausible(aligned)) << alignment;
    }
    EXPECT_TRUE(is_plausible([](EventRecord& event) { event.size = 0x0fff'ffff'f000; }));
    EXPECT_FALSE(is_plausible([](EventRecord& event) { event.size = 0x0fff'ffff'f001; }));
    EXPECT_FALSE(is_plausible([](EventRecord& event) { event.size = ~uint64_t{0}; }));
    EXPECT_FALSE(is_plausible([](EventRecord& event) { event.address = uint64_t{1} << 47; }));
    EXPECT_FALSE(is_plausible([](EventRecord& event) { event.ticket = uint64_t{1} << 56; }));
    // Of the other kinds the size is a weight or nothing, and any address may be asked about.
    EXPECT_TRUE(is_plausible([](EventRecord& event) {
        event = {~uint64_t{0}, ~uint64_t{0}, 5, 0, static_cast<uint8_t>(EventKind::touch), 0, 0};
    }));
}

TEST(Records, CountUpToTheFirstThatCannotBe) {
    std::vector<EventRecord> events(10);
    for (size_t i = 0; i < events.size(); ++i) events[i] = {4096, 8, 2 * i + 1, 0, 1, 0, 0};
    EXPECT_EQ(plausible_events(events.data(), events.size(), 0), 10u);
    events[7].ticket = events[6].ticket;
    EXPECT_EQ(plausible_events(events.data(), events.size(), 0), 7u);
    EXPECT_EQ(plausible_events(nullptr, 0, 0), 0u);
}

}  // namespace
}  // namespace malloom::stream
