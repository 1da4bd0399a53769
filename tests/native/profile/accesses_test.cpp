#include "src/native/profile/accesses.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/native/accesses/windows.h"
#include "src/native/synthetic/profile.h"
#include "tests/amount.h"
#include "tests/native/profile/reading.h"

// Freed memory that AddressSanitizer keeps back, 256 MB of it by default, would count as resident.
extern "C" const char* __asan_default_options() {
    return "quarantine_size_mb=1";
}

namespace malloom::native {
namespace {

class ProfileTest : public ::testing::Test {
  protected:
    ~ProfileTest() override { std::filesystem::remove(path_); }

    void write(const SyntheticShape& shape) { ASSERT_TRUE(write_synthetic_profile(shape, path_)); }

    const std::string path_ =
        (std::filesystem::temp_directory_path() / ("malloom-native-" + std::to_string(getpid()) + ".profile"))
            .string();
};

TEST_F(ProfileTest, EveryAccessReachesTheObjectThatItWasMadeFor) {
    write({.requests = 2000, .accesses = 20000, .threads = 3});
    Recording recording;
    ASSERT_TRUE(recording.open(path_.c_str()));
    RecordedAccesses source(recording.processes().at(0));
    uint64_t accesses = 0;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (const ResolvedAccess& access : batch) {
            ASSERT_LT(access.request, 2000u);
            ASSERT_NE(access.request % 8, 7u) << "an object that had been released";
            ASSERT_EQ(access.offset() & ~uint64_t{8}, 0u);
            ASSERT_EQ(access.size(), 8u);
        }
        accesses += batch.size();
    }
    EXPECT_EQ(source.dropped(), 0u);
    EXPECT_EQ(source.corrupt_chunks(), 0u);
    EXPECT_GT(accesses, 18000u);
}

std::vector<std::pair<uint32_t, uint64_t>> all_of(AccessSource& source) {
    std::vector<std::pair<uint32_t, uint64_t>> found;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (const ResolvedAccess& access : batch) found.emplace_back(access.request, access.packed);
    }
    return found;
}

TEST_F(ProfileTest, WindowsAreThoseOfTheWholeStreamWhereEveryAccessReachesAnObject) {
    write({.requests = 2000, .accesses = 30000, .threads = 3});
    Recording recording;
    ASSERT_TRUE(recording.open(path_.c_str()));
    const ProcessChunks& process = recording.processes().at(0);
    for (const auto& [skip, take] :
         {std::pair{0, 7}, {1, 1}, {700, 100}, {9000, 8192}, {3, 20000}, {40000, 5}}) {
        RecordedAccesses windows(process, skip, take);
        const auto expected =
            windowed(std::make_unique<RecordedAccesses>(process), uint64_t(skip), uint64_t(take));
        EXPECT_EQ(all_of(windows), all_of(*expected)) << skip << " " << take;
        EXPECT_EQ(windows.dropped(), 0u);
    }
}

TEST_F(ProfileTest, EveryPassSeesTheSame) {
    write({.requests = 300, .accesses = 5000, .threads = 2});
    const uint64_t first = read_all(path_);
    EXPECT_GT(first, 0u);
    EXPECT_EQ(read_all(path_), first);
}

TEST_F(ProfileTest, MemoryFollowsTheRequestsAndNotTheAccesses) {
    write({.requests = 1000, .accesses = 200000});
    read_all(path_);
    const uint64_t before = resident_pages();
    const uint64_t accesses = tests::does_all() ? 8'000'000 : 3'000'000;
    write({.requests = 1000, .accesses = accesses});
    EXPECT_GT(read_all(path_), accesses / 8 * 7);
    // Decoded, they would be four times as much. The profile's own mapping is gone by now.
    EXPECT_LT((resident_pages() - std::min(before, resident_pages())) * 4096, accesses * 2);
}

TEST_F(ProfileTest, CorruptBytesNeverCrashTheReader) {
    write({.requests = 200, .accesses = 3000, .threads = 2});
    std::ifstream file(path_, std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::mt19937_64 random(4);
    for (int round = 0; round < tests::amount(500); ++round) {
        std::string bad = good;
        for (int change = 0; change < 4; ++change) bad[random() % bad.size()] = static_cast<char>(random());
        if (round % 3 == 0) bad.resize(random() % bad.size());
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bad;
        EXPECT_LE(read_all(path_), 3000u);
    }
}

}  // namespace
}  // namespace malloom::native
