#include "record/stream/staging.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream/invariants.h"
#include "record/stream/records.h"
#include "record/stream/stage_files.h"
#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

using namespace formats::profile;

// Where the staging thread's events are: the first thread's in the process's own file.
enum class Where { own_file, further_file };

class StagingTest : public ProfileFixture, public testing::WithParamInterface<Where> {
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
        const auto [own, first] = create_process_stage(profile, process, 4096, 4096);
        const EventStage stage =
            GetParam() == Where::own_file ? first : create_event_stage(profile, process, 1, 4096);
        const ContextRecord context{5, 0};
        memcpy(own.contexts(), &context, sizeof context);
        own.header->records = 1;
        own.header->bytes = sizeof context;
        stage.header->thread = 9;
        for (size_t i = 0; i < count; ++i) stage.records()[i] = staged_event(i);
        stage.header->records = count;
        if (write(said, "x", 1) != 1) _exit(1);
        for (;;) pause();
    }

    static std::vector<unsigned char> process_chunk(uint64_t process) {
        return plain_chunk({ChunkKind::process, process, 0, 0, 0, 1}, {});
    }

    /// Where the record of that number stands in the file of the staging thread.
    static size_t place_of(size_t record) {
        const size_t before = GetParam() == Where::own_file ? sizeof(ProcessStagingHeader) + 4096 : 0;
        return before + sizeof(StagingHeader) + record * sizeof(EventRecord);
    }

    static EventRecord staged_event(size_t number) {
        return {4096 + 32 * number, 24, number + 1, 5, 1, 0, 0};
    }

    /// Makes `event` of a staged record.
    void damage(size_t record, const EventRecord& event) const {
        std::fstream file(list_stage_files(path_).back().path,
                          std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(place_of(record)));
        file.write(reinterpret_cast<const char*>(&event), sizeof event);
    }

    static bool decodes(const ChunkView& chunk) {
        std::vector<unsigned char> payload;
        std::vector<EventRecord> events;
        return ChunkReader::decode(chunk, payload) && read_events(chunk.header, payload, events);
    }

    static void end(pid_t child) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
};

TEST_P(StagingTest, ReaderSeesWhatAKilledProcessLeft) {
    end(stage_in_child(100));
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(reader.chunks()[1].header.records, 100u);
    EXPECT_EQ(reader.chunks()[1].header.thread, 9u);
    EXPECT_TRUE(broken_invariants(reader).empty());
}

TEST_P(StagingTest, RecoveryTakesInTheDeadAndLeavesTheLiving) {
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
TEST_P(StagingTest, TakesInWhatWasAppendedAlreadyOnlyOnce) {
    end(stage_in_child(50));
    const std::vector<StageFile> files = list_stage_files(path_);
    ASSERT_EQ(files.size(), GetParam() == Where::own_file ? 1u : 2u);
    StagedChunks staged;
    ASSERT_TRUE(read_stage_file(files.back(), staged));
    ASSERT_FALSE(staged.chunks.empty());
    append(staged.chunks.back());
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    EXPECT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(recover(path_, 0, true).events, 50u);
}

// As much of an event as there is does not count, and what is before it does.
TEST_P(StagingTest, ReaderKeepsTheContextsOfAFileThatIsCut) {
    end(stage_in_child(100));
    std::filesystem::resize_file(list_stage_files(path_)[0].path, 64 + 4096 + 64 + 50 * sizeof(EventRecord));
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    EXPECT_EQ(reader.chunks().size(), GetParam() == Where::own_file ? 1u : 2u);
    EXPECT_EQ(reader.chunks()[0].header.kind, static_cast<uint16_t>(ChunkKind::contexts));
}

// A byte in a staging file may be flipped without anybody noticing.
TEST_P(StagingTest, EventsBeforeADamagedOneAreKept) {
    end(stage_in_child(100));
    std::vector<EventRecord> wrong(9, staged_event(50));
    wrong[0].kind = 0;
    wrong[1].kind = 9;
    wrong[2].kind = 17;
    wrong[3].kind = 33;
    wrong[4].kind = 129;
    wrong[5].alignment = 200;
    wrong[6].ticket = 50;
    wrong[7].size = uint64_t{1} << 47;
    wrong[8].address |= uint64_t{1} << 60;
    for (const EventRecord& event : wrong) {
        damage(50, event);
        ChunkReader reader;
        ASSERT_TRUE(reader.open(path_.c_str()));
        ASSERT_EQ(reader.chunks().size(), 3u);
        EXPECT_EQ(reader.chunks()[1].header.records, 50u);
        EXPECT_TRUE(decodes(reader.chunks()[1]));
        EXPECT_EQ(reader.chunks()[2].header.records, 50u);
        EXPECT_EQ(reader.chunks()[2].header.sequence, 1u);
        EXPECT_FALSE(decodes(reader.chunks()[2])) << "who reads the rest is not told of the damage";
    }
    EXPECT_EQ(recover(path_, 0, true).problem, "");
    ChunkReader recovered;
    ASSERT_TRUE(recovered.open(path_.c_str()));
    EXPECT_EQ(recovered.chunks().size(), 4u);
}

TEST_P(StagingTest, ADamagedFirstEventLeavesNoneToKeep) {
    end(stage_in_child(2));
    EventRecord wrong = staged_event(0);
    wrong.kind = 200;
    damage(0, wrong);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 2u);
    EXPECT_EQ(reader.chunks()[1].header.records, 2u);
    EXPECT_FALSE(decodes(reader.chunks()[1]));
}

// Processes that make no event have no file: only the profile names them.
TEST_P(StagingTest, RecoveryEndsProcessesThatStagedNothing) {
    const uint64_t dead = (uint64_t{1} << 22) - 1;
    const uint64_t earlier_image = uint64_t{1} << 22 | dead;
    append(process_chunk(earlier_image));
    append(process_chunk(uint64_t{2} << 22 | dead));
    EXPECT_EQ(recover(path_, 0, true).living, 0u);
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str()));
    ASSERT_EQ(reader.chunks().size(), 4u);
    EXPECT_EQ(reader.chunks()[2].header.process, earlier_image);
    EXPECT_EQ(reader.chunks()[2].header.kind, static_cast<uint16_t>(ChunkKind::end));
    EXPECT_EQ(reader.chunks()[3].header.kind, static_cast<uint16_t>(ChunkKind::end));
    EXPECT_EQ(recover(path_, 0, true).processes, 2u);
    ChunkReader again;
    ASSERT_TRUE(again.open(path_.c_str()));
    EXPECT_EQ(again.chunks().size(), 4u);
}

TEST_P(StagingTest, RecoveryKeepsTheMaximumSizeAndSaysSo) {
    end(stage_in_child(4096));
    const Recovery recovery = recover(path_, 500, true);
    EXPECT_TRUE(recovery.limit_reached);
    EXPECT_LE(recovery.file_bytes, 500u);
    EXPECT_TRUE(recover(path_, 500, true).limit_reached) << "the end of the process says it too";
}

// As of a disk that is full for a moment.
TEST_P(StagingTest, WhatCannotBeAppendedNowIsTriedAgain) {
    end(stage_in_child(100));
    signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{std::filesystem::file_size(path_), before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    const Recovery refused = recover(path_, 0, false);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(refused.write_failed);
    const Recovery recovery = recover(path_, 0, true);
    EXPECT_EQ(recovery.events, 100u);
    EXPECT_FALSE(recovery.write_failed);
    EXPECT_FALSE(std::filesystem::exists(path_ + ".staging"));
}

TEST_P(StagingTest, RecoveryCutsOffATornChunk) {
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

TEST_P(StagingTest, DamagedStagingFilesDoNotHurt) {
    end(stage_in_child(100));
    for (const StageFile& file : list_stage_files(path_)) {
        for (const uint64_t size :
             {uint64_t{4300}, uint64_t{4200}, uint64_t{4100}, uint64_t{100}, uint64_t{63}, uint64_t{0}}) {
            std::filesystem::resize_file(file.path, size);
            ChunkReader reader;
            EXPECT_TRUE(reader.open(path_.c_str()));
        }
    }
    EXPECT_EQ(recover(path_, 0, true).problem, "");
}

INSTANTIATE_TEST_SUITE_P(Stages, StagingTest, testing::Values(Where::own_file, Where::further_file),
                         [](const auto& where) {
                             return where.param == Where::own_file ? "OwnFile" : "FurtherFile";
                         });

}  // namespace
}  // namespace malloom::stream
