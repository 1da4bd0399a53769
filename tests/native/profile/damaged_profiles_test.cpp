// Chunks that say what cannot be, under checksums that hold, as a damaged stage or a made-up file has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "src/native/encoding/chunks.h"
#include "tests/amount.h"
#include "tests/native/profile/reading.h"
#include "tests/record/stream/profile_fixture.h"

namespace malloom::native {
namespace {

using namespace formats::profile;
using Bytes = std::vector<unsigned char>;
using stream::with_header;

constexpr uint32_t thread_id = 7;

EventRecord allocation(uint64_t ticket, uint64_t address, uint64_t size) {
    return {address, size, ticket, 0, static_cast<uint8_t>(EventKind::allocate), 0, 0};
}

EventRecord release(uint64_t ticket, uint64_t address) {
    return {address, 0, ticket, 0, static_cast<uint8_t>(EventKind::release), 0, 0};
}

Bytes chunk_of_events(const std::vector<EventRecord>& events, uint32_t sequence = 0) {
    const uint64_t first = events[0].ticket;
    return stream::plain_chunk({ChunkKind::events, 42, thread_id, sequence, first, events.size()},
                               encode_events_payload(events, first));
}

Bytes chunk_of_accesses(const std::vector<uint64_t>& entries) {
    return stream::plain_chunk({ChunkKind::accesses, 42, thread_id, 0, 0, entries.size()},
                               encode_accesses_payload(entries));
}

class DamagedProfile : public stream::ProfileFixture {
  protected:
    struct Read {
        uint64_t events, accesses, lost_chunks;
        RequestTable requests;
    };

    /// Its one process.
    Read read() const {
        Recording recording;
        EXPECT_TRUE(recording.open(path_.c_str())) << recording.problem();
        const ProcessChunks& process = recording.processes().at(0);
        ContextTable contexts(process);
        return {process.events, process.accesses, process.lost_chunks, read_requests(process, contexts)};
    }
};

TEST_F(DamagedProfile, CountsThatThePayloadCannotHoldReserveNothing) {
    const Bytes good = chunk_of_events({allocation(1, 0x1000, 16), allocation(2, 0x2000, 16)});
    const Bytes entries = chunk_of_accesses({0x1000, 0x1008});
    const Bytes empty = contents();
    for (const uint64_t claimed : {uint64_t{1} << 34, uint64_t{1} << 61, uint64_t{1} << 63, ~uint64_t{0}}) {
        const auto claim = [=](ChunkHeader& header) { header.records = claimed; };
        replace(empty);
        append(with_header(good, claim));
        append(with_header(entries, claim));
        const Read found = read();
        EXPECT_LT(found.events, 100u);
        EXPECT_LT(found.accesses, 10'000u);
        EXPECT_EQ(found.requests.corrupt_chunks, 1u);
        EXPECT_LT(found.requests.size.capacity(), 100u);
        EXPECT_EQ(read_all(path_), 0u);
    }
}

// Many compressed chunks of few bytes may say to hold billions of events.
TEST_F(DamagedProfile, CountsThatACompressedPayloadMightHoldReserveLittle) {
    const Bytes nonsense(1 << 15, 0);
    const Bytes chunk = with_header(
        stream::plain_chunk({ChunkKind::events, 42, thread_id, 0, 1, 1}, nonsense), [](ChunkHeader& header) {
            header.codec = static_cast<uint16_t>(Codec::zstd);
            header.decoded_bytes = 1 << 30;
            header.records = uint64_t{1} << 29;
        });
    for (int i = 0; i < 32; ++i) append(chunk);
    const Read found = read();
    EXPECT_EQ(found.requests.corrupt_chunks, 32u);
    EXPECT_LE(found.requests.size.capacity(), size_t{1} << 26);
}

TEST_F(DamagedProfile, ObjectsOutsideTheAddressSpaceAreDamage) {
    const uint64_t end = uint64_t{1} << 47;
    const EventRecord wrong[] = {allocation(2, 0x2000, end),       allocation(2, 0x2000, ~uint64_t{0}),
                                 allocation(2, end, 16),           allocation(2, ~uint64_t{0} - 8, 16),
                                 allocation(2, end - 0x1000, end), allocation(2, end - 16, 17)};
    uint32_t sequence = 0;
    append(chunk_of_events({allocation(1, 0x1000, 16)}, sequence++));
    for (const EventRecord& event : wrong) append(chunk_of_events({event}, sequence++));
    append(chunk_of_events({allocation(3, end - 16, 16)}, sequence));
    const Read found = read();
    EXPECT_EQ(found.requests.corrupt_chunks, std::size(wrong));
    EXPECT_EQ(found.requests.size.size(), 2u);
}

TEST_F(DamagedProfile, AHugeObjectTakesLittle) {
    append(chunk_of_events({allocation(1, 0x1000, uint64_t{1} << 42), allocation(2, 0x2000, 16),
                            release(3, 0x2000), release(4, 0x1000)}));
    const uint64_t before = resident_pages();
    EXPECT_EQ(read().requests.size.size(), 2u);
    EXPECT_LT(resident_pages() - std::min(before, resident_pages()), 4096u);
}

TEST_F(DamagedProfile, TicketsThatDoNotGrowAreDamage) {
    append(chunk_of_events({allocation(10, 0x1000, 16), allocation(20, 0x2000, 16)}, 0));
    append(chunk_of_events({allocation(20, 0x3000, 16), allocation(30, 0x4000, 16)}, 1));
    append(chunk_of_events({allocation(25, 0x5000, 16)}, 2));
    append(chunk_of_events({allocation(access_ticket_mask + 1, 0x6000, 16)}, 3));
    const Read found = read();
    EXPECT_EQ(found.requests.corrupt_chunks, 2u);
    EXPECT_EQ(found.requests.birth, (std::vector<uint64_t>{10, 20, 25}));
}

TEST_F(DamagedProfile, AThreadIdThatIsUsedAgainIsNone) {
    append(chunk_of_events({allocation(1, 0x1000, 16)}, 0));
    append(chunk_of_events({allocation(2, 0x2000, 16)}, 1));
    append(chunk_of_events({allocation(3, 0x3000, 16)}, 0));
    append(chunk_of_events({allocation(4, 0x4000, 16)}, 1));
    const Read found = read();
    EXPECT_EQ(found.requests.birth, (std::vector<uint64_t>{1, 2, 3, 4}));
    EXPECT_EQ(found.requests.corrupt_chunks + found.lost_chunks, 0u);
}

TEST_F(DamagedProfile, AContextWithoutFramesHasAHash) {
    const ContextRecord empty{0, 0};
    Bytes payload(sizeof empty);
    memcpy(payload.data(), &empty, sizeof empty);
    append(stream::plain_chunk({ChunkKind::contexts, 42, 0, 0, 0, 1}, payload));
    append(chunk_of_events({allocation(1, 0x1000, 16)}));
    EXPECT_EQ(read_all(path_), 0u);
}

/// A chunk with a few changes, in its header or its payload.
Bytes changed(Bytes chunk, std::mt19937_64& random) {
    const auto number = [&random] {
        const uint64_t edge = uint64_t{1} << (random() % 64);
        return edge + random() % 3 - 1;
    };
    if (random() % 2 == 0) {
        for (uint64_t changes = 1 + random() % 3; changes != 0; --changes) {
            chunk[sizeof(ChunkHeader) + random() % (chunk.size() - sizeof(ChunkHeader))] =
                static_cast<unsigned char>(random());
        }
        return with_header(std::move(chunk), [](ChunkHeader&) {});
    }
    return with_header(std::move(chunk), [&](ChunkHeader& header) {
        const uint64_t value = number();
        const uint64_t which = random() % 6;
        if (which == 0) header.records = value;
        if (which == 1) header.first_ticket = value;
        if (which == 2) header.decoded_bytes = static_cast<uint32_t>(value);
        if (which == 3) header.sequence = static_cast<uint32_t>(value);
        if (which == 4) header.kind = static_cast<uint16_t>(random() % 8);
        if (which == 5) header.codec = static_cast<uint16_t>(random() % 3);
    });
}

void expect_sound(const RequestTable& table) {
    EXPECT_EQ(std::adjacent_find(table.birth.begin(), table.birth.end(), std::greater_equal()),
              table.birth.end());
    for (size_t i = 0; i < table.size.size(); ++i) {
        EXPECT_LT(table.birth[i], table.death[i]);
        EXPECT_LE(table.address[i] + table.size[i], uint64_t{1} << 47);
    }
}

TEST_F(DamagedProfile, NeverYieldsRequestsThatCannotBe) {
    std::vector<EventRecord> events;
    std::vector<uint64_t> entries;
    for (uint64_t i = 0; i < 60; ++i) {
        const uint64_t address = 0x1000 * (1 + i / 2);
        events.push_back(i % 3 == 2 ? release(i + 1, address)
                                    : allocation(i + 1, address, uint64_t{1} << i % 36));
        entries.push_back(uint64_t{1} << access_kind_shift | (i + 1));
        entries.push_back(address + 8);
    }
    const std::vector<EventRecord> later = {allocation(61, 0x100000, 8), release(62, 0x1000)};
    const Bytes chunks[] = {chunk_of_events(events), chunk_of_events(later, 1), chunk_of_accesses(entries)};
    const Bytes empty = contents();
    std::mt19937_64 random(12);
    for (int round = 0; round < tests::amount(1000); ++round) {
        replace(empty);
        for (const Bytes& chunk : chunks) append(random() % 2 == 0 ? changed(chunk, random) : chunk);
        read_all(path_, expect_sound);
    }
}

}  // namespace
}  // namespace malloom::native
