#include "record/stream/chunk_reader.h"

#include <ctime>
#include <random>

#include "record/stream/checksum.h"
#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;

class ChunkReaderTest : public ProfileFixture {
  protected:
    void SetUp() override {
        ProfileFixture::SetUp();
        for (uint32_t i = 0; i < 3; ++i) append(events_chunk(i, i, 1 + i * 100, 100));
    }
};

TEST_F(ChunkReaderTest, ReadsWhatWasWritten) {
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str())) << reader.problem();
    ASSERT_EQ(reader.chunks().size(), 3u);
    EXPECT_TRUE(reader.notes().empty());
    std::vector<unsigned char> payload;
    std::vector<EventRecord> events(100);
    ASSERT_TRUE(ChunkReader::decode(reader.chunks()[2], payload));
    ASSERT_TRUE(decode_events(payload.data(), payload.size(), 201, events.data(), 100));
    EXPECT_EQ(events[99].ticket, 300u);
}

TEST_F(ChunkReaderTest, ReadsUpToEveryCutAndSaysSo) {
    const auto whole = contents();
    for (size_t size = sizeof(FileHeader); size < whole.size(); size += 37) {
        replace({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)});
        ChunkReader reader;
        ASSERT_TRUE(reader.open(path_.c_str())) << reader.problem();
        const std::string good = ": " + std::to_string(reader.chunks().size()) + " chunks are good";
        if (size != reader.whole_bytes()) {
            ASSERT_EQ(reader.notes().size(), 1u);
            EXPECT_EQ(reader.notes()[0],
                      "profile is cut at byte " + std::to_string(reader.whole_bytes()) + good);
        }
    }
}

TEST_F(ChunkReaderTest, SkipsACorruptStretchInTheMiddle) {
    auto bytes = contents();
    const size_t second = sizeof(FileHeader) + events_chunk(0, 0, 1, 100).size();
    for (size_t i = 0; i < 70; ++i) bytes[second + i] ^= 0x55;
    replace(bytes);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(reader.chunks()[1].header.sequence, 2u);
    ASSERT_EQ(reader.notes().size(), 1u);
    EXPECT_NE(reader.notes()[0].find("are corrupt and skipped"), std::string::npos);
}

// As a full disk leaves it: half a chunk, and then one that was small enough.
TEST_F(ChunkReaderTest, FindsTheChunkThatFollowsATornOne) {
    auto torn = events_chunk(9, 3, 301, 4000);
    torn.resize(torn.size() / 2);
    append(torn);
    append(events_chunk(10, 4, 4301, 10));
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 4u);
    EXPECT_EQ(reader.chunks()[3].header.sequence, 4u);
    for (int i = 0; i < 40; ++i) append(events_chunk(11, 5, 4311, 1000));
    ChunkReader longer;
    ASSERT_TRUE(longer.open(path_.c_str()));
    EXPECT_EQ(longer.chunks().size(), 44u);
    EXPECT_EQ(longer.notes().size(), 1u);
}

// Each would be hashed to the end, a thousand times the file.
TEST_F(ChunkReaderTest, ReadsAThousandChunksWithinEachOtherOnce) {
    constexpr uint32_t count = 1 << 17;
    const std::vector<unsigned char> empty = plain_chunk({ChunkKind::events, 42, 7, 0, 1, 0}, {});
    std::vector<unsigned char> nested;
    nested.reserve(count * empty.size() + 1);
    for (uint32_t left = count; left-- > 0;) {
        const auto chunk = with_header(empty, [&](ChunkHeader& header) {
            header.stored_bytes = left * static_cast<uint32_t>(sizeof header);
            header.payload_checksum = 1;
        });
        nested.insert(nested.end(), chunk.begin(), chunk.end());
    }
    nested.push_back(0);
    append(nested);
    const clock_t began = clock();
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    EXPECT_LT(clock() - began, 5 * CLOCKS_PER_SEC);
    EXPECT_FALSE(reader.notes().empty());
}

TEST_F(ChunkReaderTest, RefusesACorruptPayload) {
    auto bytes = contents();
    bytes[64 + 64 + 10] ^= 1;
    replace(bytes);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    std::vector<unsigned char> payload;
    EXPECT_FALSE(ChunkReader::decode(reader.chunks()[0], payload));
    EXPECT_TRUE(ChunkReader::decode(reader.chunks()[1], payload));
}

TEST_F(ChunkReaderTest, NamesANewerVersion) {
    auto bytes = contents();
    FileHeader header = make_file_header(5);
    header.version = version_current + 1;
    header.checksum = checksum(&header, offsetof(FileHeader, checksum));
    memcpy(bytes.data(), &header, sizeof header);
    replace(bytes);
    ChunkReader reader;
    EXPECT_FALSE(reader.open(path_.c_str()));
    EXPECT_NE(reader.problem().find("written by a newer malloom (version 2"), std::string::npos)
        << reader.problem();
}

TEST_F(ChunkReaderTest, RefusesWhatIsNoProfile) {
    for (const std::string text :
         {"", "short", "a text that is longer than the header of a profile, and yet is none at all"}) {
        replace({text.begin(), text.end()});
        ChunkReader reader;
        EXPECT_FALSE(reader.open(path_.c_str()));
        EXPECT_NE(reader.problem().find("not a profile"), std::string::npos) << reader.problem();
    }
    ChunkReader reader;
    EXPECT_FALSE(reader.open((path_ + "-absent").c_str()));
    EXPECT_NE(reader.problem().find("No such file"), std::string::npos);
}

TEST_F(ChunkReaderTest, SurvivesMutations) {
    std::mt19937_64 random(23);
    const auto original = contents();
    for (int round = 0; round < 1000; ++round) {
        auto bytes = original;
        for (uint64_t changes = 1 + random() % 8; changes != 0; --changes)
            bytes[random() % bytes.size()] = static_cast<unsigned char>(random());
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        replace(bytes);
        ChunkReader reader;
        if (!reader.open(path_.c_str())) {
            EXPECT_FALSE(reader.problem().empty());
            continue;
        }
        std::vector<unsigned char> payload;
        for (const ChunkView& chunk : reader.chunks()) (void)ChunkReader::decode(chunk, payload);
        EXPECT_LE(reader.chunks().size(), 3u);
    }
}

}  // namespace
}  // namespace malloom::stream
