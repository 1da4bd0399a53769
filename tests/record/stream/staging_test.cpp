#include "record/stream/staging.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream/invariants.h"
#include "record/stream/stage_files.h"
#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;

class StagingTest : public ProfileFixture {
  protected:
    // A child stages some events and a context, says so, and waits to be killed.
    pid_t stage_in_child(size_t count) {
        int said[2];
        EXPECT_EQ(pipe(said), 0);
        const pid_t child = fork();
        if (child == 0) stage_and_wait(count, said[1]);
        char byte = 0;
        EXPECT_EQ(read(said[0], &byte, 1), 1);
        close(said[0]);
        close(said[1]);
        return child;
    }

    [[noreturn]] void stage_and_wait(size_t count, int said) {
        ProfileFile profile;
        if (!profile.open(path_.c_str(), 0)) _exit(1);
        const uint64_t process = uint64_t{1} << 22 | static_cast<uint64_t>(getpid());
        const ContextStage own = create_context_stage(profile, process, 4096);
        const EventStage stage = create_event_stage(profile, process, 0, 4096);
        const ContextRecord context{5, 0};
        memcpy(own.contexts(), &context, sizeof context);
        own.header->records = 1;
        own.header->bytes = sizeof context;
        stage.header->thread = 9;
        for (size_t i = 0; i < count; ++i) stage.records()[i] = {4096 + 32 * i, 24, i + 1, 5, 1, 0, 0};
        stage.header->records = count;
        if (write(said, "x", 1) != 1) _exit(1);
        for (;;) pause();
    }

    static void end(pid_t child) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
};

TEST_F(StagingTest, ReaderSeesWhatAKilledProcessLeft) {
    end(stage_in_child(100));
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(reader.chunks()[1].header.records, 100u);
    EXPECT_EQ(reader.chunks()[1].header.thread, 9u);
    EXPECT_TRUE(broken_invariants(reader).empty());
}

TEST_F(StagingTest, RecoveryTakesInTheDeadAndLeavesTheLiving) {
    end(stage_in_child(10));
    const pid_t living = stage_in_child(20);
    Recovery recovery = recover(path_, 0, true);
    EXPECT_EQ(recovery.problem, "");
    EXPECT_EQ(recovery.events, 10u);
    EXPECT_EQ(recovery.living, 1u);
    end(living);
    recovery = recover(path_, 0, true);
    EXPECT_EQ(recovery.events, 30u);
    EXPECT_EQ(recovery.living, 0u);
    EXPECT_FALSE(std::filesystem::exists(path_ + ".staging"));
    EXPECT_EQ(recover(path_, 0, true).events, 30u);
}

// The process was killed between its write and the reset of its stage: the events exist twice, and are read
// once.
TEST_F(StagingTest, TakesInWhatWasAppendedAlreadyOnlyOnce) {
    end(stage_in_child(50));
    const std::vector<StageFile> files = list_stage_files(path_);
    ASSERT_EQ(files.size(), 2u);
    StagedChunk staged;
    ASSERT_TRUE(read_stage_file(files[1], staged));
    append(staged.bytes);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    EXPECT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(recover(path_, 0, true).events, 50u);
}

TEST_F(StagingTest, RecoveryKeepsTheMaximumSizeAndSaysSo) {
    end(stage_in_child(4096));
    const Recovery recovery = recover(path_, 500, true);
    EXPECT_TRUE(recovery.limit_reached);
    EXPECT_LE(recovery.file_bytes, 500u);
}

TEST_F(StagingTest, RecoveryCutsOffATornChunk) {
    append(events_chunk(1, 0, 1, 100));
    auto torn = events_chunk(2, 1, 101, 100);
    torn.resize(torn.size() / 2);
    append(torn);
    const Recovery recovery = recover(path_, 0, true);
    EXPECT_EQ(recovery.events, 100u);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    EXPECT_TRUE(reader.notes().empty());
}

TEST_F(StagingTest, DamagedStagingFilesDoNotHurt) {
    end(stage_in_child(100));
    for (const StageFile& file : list_stage_files(path_)) {
        for (const uint64_t size : {uint64_t{100}, uint64_t{63}, uint64_t{0}}) {
            std::filesystem::resize_file(file.path, size);
            ChunkReader reader;
            EXPECT_TRUE(reader.open(path_.c_str()));
        }
    }
    EXPECT_EQ(recover(path_, 0, true).problem, "");
}

}  // namespace
}  // namespace malloom::stream
