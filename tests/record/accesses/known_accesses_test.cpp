// The recorder of accesses against a program whose accesses are known one by one.
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "formats/profile.h"
#include "record/stream/access_codec.h"
#include "record/stream/chunk_reader.h"
#include "record/stream/recovery.h"

namespace malloom {
namespace {

using namespace formats::profile;

/// Offset into the object, bytes, whether stored.
struct Access {
    uint64_t offset;
    unsigned bytes;
    bool store;
    bool operator==(const Access&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Access& access) {
    return out << (access.store ? "store " : "load ") << access.offset << " of " << access.bytes;
}

class KnownAccesses : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/malloom-accesses-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // Returns the wait status of the program.
    int record(const std::string& what, const std::string& options = "") {
        profile_ = folder_ + "/" + what;
        EXPECT_EQ(stream::create_profile(profile_, 1), "");
        const std::string core_options = options.empty() ? "-disable_traces" : "";
        const std::string command = "LD_PRELOAD=" MALLOOM_RECORDER " MALLOOM=record=" + profile_ +
                                    " " MALLOOM_LAUNCHER " " MALLOOM_CORE " '" + core_options +
                                    "' " MALLOOM_CLIENT " '" + options + "' -- " KNOWN_ACCESSES " " + what;
        FILE* const output = popen(("exec env " + command).c_str(), "r");
        if (output == nullptr) {
            ADD_FAILURE() << "cannot start a shell";
            return -1;
        }
        unsigned long address = 0;
        EXPECT_EQ(fscanf(output, "%lx", &address), 1);
        object_ = address;
        return pclose(output);
    }

    // The accesses to the object, of each thread in its order.
    std::map<uint32_t, std::vector<Access>> accesses() {
        std::map<uint32_t, std::vector<Access>> found;
        stream::ChunkReader reader;
        EXPECT_TRUE(reader.open(profile_.c_str())) << reader.problem();
        EXPECT_TRUE(reader.notes().empty());
        for (const auto& chunk : reader.chunks()) {
            if (chunk.header.kind != static_cast<uint16_t>(ChunkKind::accesses)) continue;
            std::vector<unsigned char> payload;
            std::vector<uint64_t> entries(chunk.header.records);
            EXPECT_TRUE(stream::ChunkReader::decode(chunk, payload));
            EXPECT_TRUE(
                stream::decode_accesses(payload.data(), payload.size(), entries.data(), entries.size()));
            for (const uint64_t entry : entries) add(found[chunk.header.thread], entry);
        }
        return found;
    }

    std::vector<Access> of_only_thread() {
        std::vector<Access> all;
        for (const auto& [thread, those] : accesses()) all.insert(all.end(), those.begin(), those.end());
        return all;
    }

  private:
    void add(std::vector<Access>& to, uint64_t entry) const {
        const uint64_t offset = (entry & access_address_mask) - object_;
        if (entry >> access_kind_shift != 0 || offset >= 4096) return;
        to.push_back({offset, 1u << ((entry >> access_size_shift) & 15), (entry & access_store_bit) != 0});
    }

    std::string folder_;
    std::string profile_;
    uint64_t object_ = 0;
};

const std::vector<Access> plain = {
    {8, 8, false}, {16, 4, true},   {20, 1, true},  {24, 8, false},   {24, 8, true},
    {32, 8, true}, {32, 8, false},  {40, 2, false}, {48, 4, true},    {56, 8, false},
    {64, 8, true}, {40, 8, false},  {80, 8, false}, {88, 8, true},    {96, 8, false},
    {96, 8, true}, {104, 8, false}, {104, 8, true}, {112, 16, false}, {128, 16, true},
};

TEST_F(KnownAccesses, AreRecordedInProgramOrder) {
    EXPECT_EQ(record("plain"), 0);
    EXPECT_EQ(of_only_thread(), plain);
}

TEST_F(KnownAccesses, OfStringInstructionsAreRecordedStepByStep) {
    EXPECT_EQ(record("strings"), 0);
    const std::vector<Access> expected = {{256, 1, false}, {512, 1, true}, {257, 1, false}, {513, 1, true},
                                          {258, 1, false}, {514, 1, true}, {515, 8, true},  {523, 8, true}};
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, OfALoopAreRecordedUpToItsEnd) {
    EXPECT_EQ(record("loop"), 0);
    std::vector<Access> expected;
    for (uint64_t at = 0; at < 36; at += 4) {
        expected.push_back({at, 4, false});
        expected.push_back({1024 + at, 4, true});
    }
    expected.push_back({36, 4, false});
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, AreRecordedWhereAllRegistersAreInUse) {
    EXPECT_EQ(record("registers"), 0);
    std::vector<Access> expected;
    for (uint64_t at = 0; at <= 112; at += 8) expected.push_back({at, 8, true});
    for (uint64_t at = 113; at <= 126; ++at) expected.push_back({at, 1, true});
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, OfSizesThatAreNoPowerOfTwoAreRecordedInPieces) {
    EXPECT_EQ(record("x87"), 0);
    const std::vector<Access> expected = {{160, 8, false}, {168, 2, false}, {176, 8, true}, {184, 2, true},
                                          {192, 16, true}, {208, 8, true},  {216, 4, true}};
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, OfWideAndGatheringInstructionsAreRecorded) {
    if (!__builtin_cpu_supports("avx2")) FAIL() << "this test needs a CPU with AVX2";
    EXPECT_EQ(record("gather"), 0);
    const std::vector<Access> expected = {{2048, 4, false}, {2048, 4, false},  {2048, 4, false},
                                          {2048, 4, false}, {2080, 32, false}, {2112, 32, true}};
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, EndAtTheLimitInsideALoopToo) {
    EXPECT_EQ(record("spin", "limit=100000"), 0);
    const size_t recorded = of_only_thread().size();
    EXPECT_GT(recorded, 50'000u);
    EXPECT_LT(recorded, 200'000u);
}

TEST_F(KnownAccesses, OfTwentyThreadsAreRecordedPerThread) {
    EXPECT_EQ(record("threads"), 0);
    unsigned threads = 0;
    for (const auto& [thread, those] : accesses()) {
        if (those.empty()) continue;
        ++threads;
        EXPECT_EQ(those, std::vector<Access>(100, Access{3072, 4, true})) << thread;
    }
    EXPECT_EQ(threads, 20u);
}

TEST_F(KnownAccesses, AreThereWhenTheProgramDiesByASignal) {
    const int status = record("abort");
    EXPECT_TRUE((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) || status == (128 + SIGABRT) << 8)
        << status;
    EXPECT_EQ(of_only_thread(), plain);
}

TEST_F(KnownAccesses, OfASignalHandlerThatJumpsAwayAreRecorded) {
    EXPECT_EQ(record("fault"), 0);
    std::vector<Access> expected = {{200, 8, true}, {200, 8, true}};
    expected.insert(expected.end(), plain.begin(), plain.end());
    EXPECT_EQ(of_only_thread(), expected);
}

TEST_F(KnownAccesses, AreThoseOfAProgramThatDoesNotRunUnderValgrind) {
    EXPECT_EQ(record("valgrind"), 0);
}

}  // namespace
}  // namespace malloom
