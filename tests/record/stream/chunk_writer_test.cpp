#include "record/stream/chunk_writer.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream/profile_file.h"
#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;
using ChunkWriterTest = ProfileFixture;

TEST_F(ChunkWriterTest, CompressesWhereThatIsShorter) {
    const std::vector<unsigned char> payload(100'000, 'x');
    std::vector<unsigned char> memory(Compressor::memory_bytes(payload.size()));
    Compressor compressor;
    ASSERT_TRUE(compressor.use(memory.data(), memory.size(), payload.size()));
    std::vector<unsigned char> chunk(chunk_bound(payload.size()));
    const ChunkIdentity identity{ChunkKind::module, 1, 0, 0, 0, 1};
    for (int round = 0; round < 3; ++round) {
        chunk.resize(make_chunk(identity, payload.data(), payload.size(), &compressor, chunk.data()));
        EXPECT_LT(chunk.size(), payload.size() / 10);
        append(chunk);
    }
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    std::vector<unsigned char> read;
    for (const ChunkView& view : reader.chunks()) {
        ASSERT_TRUE(ChunkReader::decode(view, read));
        EXPECT_EQ(read, payload);
    }
    EXPECT_EQ(reader.chunks().size(), 3u);
}

// The text form makes chunks again, by one compressor for all.
TEST_F(ChunkWriterTest, MakesTheSameChunkWhateverCameBefore) {
    std::vector<unsigned char> even(100'000, 'x'), noise(even);
    uint64_t state = 1;
    for (size_t i = 50'000; i < noise.size(); ++i)
        noise[i] = static_cast<unsigned char>((state = state * 6364136223846793005 + 1) >> 56);
    std::vector<unsigned char> memory(Compressor::memory_bytes(even.size()));
    Compressor compressor;
    ASSERT_TRUE(compressor.use(memory.data(), memory.size(), even.size()));
    const auto chunk_of = [&](const std::vector<unsigned char>& payload) {
        const ChunkIdentity identity{ChunkKind::accesses, 1, 1, 0, 0, 1};
        std::vector<unsigned char> chunk(chunk_bound(payload.size()));
        chunk.resize(make_chunk(identity, payload.data(), payload.size(), &compressor, chunk.data()));
        return chunk;
    };
    const auto of_even = chunk_of(even), of_noise = chunk_of(noise);
    EXPECT_LT(of_even.size(), 1000u);
    EXPECT_LT(of_noise.size(), 52'000u);
    EXPECT_EQ(chunk_of(noise), of_noise);
    EXPECT_EQ(chunk_of(even), of_even);
}

TEST_F(ChunkWriterTest, KeepsTheMaximumSize) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 1000));
    const std::vector<unsigned char> chunk(300, 1);
    EXPECT_EQ(profile.append(chunk.data(), 300), AppendResult::written);
    EXPECT_EQ(profile.append(chunk.data(), 300), AppendResult::written);
    EXPECT_EQ(profile.append(chunk.data(), 300), AppendResult::written);
    EXPECT_EQ(profile.append(chunk.data(), 300), AppendResult::limit);
    EXPECT_EQ(contents().size(), 64u + 900);
}

// How many descriptors this process has open.
size_t descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(all), end(all)));
}

// Programs count theirs.
TEST_F(ChunkWriterTest, LeavesNoDescriptorOpenThatNobodyAskedFor) {
    ProfileFile profile;
    const size_t before = descriptors();
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::written);
    void* const stage = profile.stage("stage", 4096);
    ASSERT_NE(stage, nullptr);
    EXPECT_EQ(munmap(stage, 4096), 0);
    EXPECT_EQ(descriptors(), before);
    profile.keep_descriptors();
    profile.keep_descriptors();
    EXPECT_EQ(descriptors(), before + 2);
    profile.close_descriptors();
    EXPECT_EQ(descriptors(), before);
}

TEST_F(ChunkWriterTest, WritesToWhatIsKeptWhereThePathLeadsNowhere) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    profile.keep_descriptors();
    const std::string away = path_ + ".away";
    std::filesystem::rename(path_, away);
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::written);
    profile.close_descriptors();
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::failed);
    std::filesystem::rename(away, path_);
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::written);
    EXPECT_EQ(contents().size(), 84u);
}

// Where few are left, some calls find one and others do not.
TEST_F(ChunkWriterTest, WritesOnceWhereFewDescriptorsAreLeftOrNone) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    for (int left = 0; left < 5; ++left) {
        const pid_t child = fork();
        if (child == 0) {
            const rlimit few{40, 40};
            setrlimit(RLIMIT_NOFILE, &few);
            while (dup(1) >= 0) {
            }
            for (int i = 0; i < left; ++i) close(39 - i);
            const bool is_written = profile.append("0123456789", 10) == AppendResult::written;
            const std::string name = "stage" + std::to_string(left);
            auto* const stage = static_cast<char*>(profile.stage(name.c_str(), 4096));
            const bool is_staged = stage != nullptr && stage[4095]++ == 0;
            int found = 0;
            while (dup(1) >= 0) ++found;
            _exit(is_written && is_staged && wait(nullptr) < 0 && found == left ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << left;
        EXPECT_EQ(contents().size(), 64u + 10u * (static_cast<unsigned>(left) + 1));
    }
}

// Its descriptors are its own, and its memory is not.
TEST_F(ChunkWriterTest, KeepsNothingForTheParentOfVfork) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    const size_t before = descriptors();
    const auto keep = [](void* given) {
        static_cast<ProfileFile*>(given)->keep_descriptors();
        return 0;
    };
    std::vector<char> stack(1 << 16);
    const int child = clone(keep, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &profile);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::written);
    EXPECT_EQ(profile.append("0123456789", 10), AppendResult::written);
    EXPECT_EQ(contents().size(), 84u);
    EXPECT_EQ(descriptors(), before);
}

// Programs that close all descriptors, and then open files of their own, must find nothing of ours in those.
TEST_F(ChunkWriterTest, NeverWritesToAFileThatTookItsDescriptor) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    profile.keep_descriptors();
    const pid_t child = fork();
    if (child == 0) {
        closefrom(3);
        const std::string other = folder_ + "/other";
        int last = -1;
        for (int i = 0; i < 1100 && last < 1010; ++i)
            last = open(other.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
        const bool written = profile.append("0123456789", 10) == AppendResult::written;
        _exit(written && std::filesystem::file_size(other) == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(contents().size(), 74u);
    profile.close_descriptors();
}

// Without the check the first write beyond the limit would end the process with SIGXFSZ.
TEST_F(ChunkWriterTest, FailsCleanlyAtTheFileSizeLimit) {
    ProfileFile profile;
    ASSERT_TRUE(profile.open(path_.c_str(), 0));
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{100, 100};
        setrlimit(RLIMIT_FSIZE, &limit);
        const bool failed =
            profile.append("0123456789012345678901234567890123456789", 40) == AppendResult::failed;
        _exit(failed && profile.stage("stage", 4096) == nullptr ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace malloom::stream
