// The recorder with many threads, without the entry points: so it runs under the sanitizers, which have a
// malloc of their own.
#include "record/preload/recording_heap.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "record/stream/chunk_reader.h"
#include "record/stream/invariants.h"
#include "record/stream/recovery.h"

namespace {

using namespace malloom;
using formats::profile::ChunkKind;

record::RecordingHeap heap;
std::atomic<uint64_t> events;

[[gnu::noinline]] void* allocate(size_t bytes, size_t alignment) {
    ++events;
    return heap.allocate(bytes, alignment, context::current_caller());
}

[[gnu::noinline]] void* reallocate(void* object, size_t bytes) {
    events += 2;
    return heap.reallocate(object, bytes, context::current_caller());
}

void release(void* object) {
    if (object == nullptr) return;
    ++events;
    heap.deallocate(object);
}

/// Where threads leave objects for each other.
std::array<std::atomic<void*>, 64> mailboxes;

void exchange_objects(unsigned seed, unsigned rounds) {
    std::mt19937 random(seed);
    for (unsigned i = 0; i < rounds; ++i) {
        void* object = allocate(1 + random() % 300, random() % 8 == 0 ? 64 : 0);
        if (random() % 4 == 0) object = reallocate(object, 1 + random() % 600);
        release(mailboxes[random() % mailboxes.size()].exchange(object));
    }
}

void empty_mailboxes() {
    for (std::atomic<void*>& mailbox : mailboxes) release(mailbox.exchange(nullptr));
}

uint64_t recorded_events(const stream::ChunkReader& reader) {
    uint64_t count = 0;
    for (const stream::ChunkView& chunk : reader.chunks())
        if (chunk.header.kind == static_cast<uint16_t>(ChunkKind::events)) count += chunk.header.records;
    return count;
}

void expect_sound_profile() {
    stream::ChunkReader reader;
    ASSERT_TRUE(reader.open(record::options.profile)) << reader.problem();
    EXPECT_EQ(recorded_events(reader), events.load());
    EXPECT_EQ(stream::broken_invariants(reader), std::vector<std::string>());
    EXPECT_EQ(record::image->contexts.header->dropped, 0U);
}

void run_threads(unsigned count, unsigned rounds) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(exchange_objects, i, rounds);
    for (std::thread& thread : threads) thread.join();
}

TEST(RecordingHeap, RecordsObjectsThatThreadsHandOver) {
    run_threads(4, 20'000);
    empty_mailboxes();
    expect_sound_profile();
}

TEST(RecordingHeap, RecordsTwoHundredThreads) {
    run_threads(200, 100);
    empty_mailboxes();
    expect_sound_profile();
}

TEST(RecordingHeap, GivesTheStagesOfEndedThreadsToNewOnes) {
    run_threads(4, 50);
    const uint32_t before = record::image->slots_used.load();
    for (unsigned generation = 0; generation < 50; ++generation) run_threads(4, 50);
    empty_mailboxes();
    expect_sound_profile();
    EXPECT_LE(record::image->slots_used.load(), std::max(before, 5U));
}

TEST(RecordingHeap, StopsForAllThreads) {
    std::thread stopping([] { record::stop_image(formats::profile::ProcessState::stopped); });
    run_threads(4, 2'000);
    stopping.join();
    empty_mailboxes();
    stream::ChunkReader reader;
    ASSERT_TRUE(reader.open(record::options.profile)) << reader.problem();
    EXPECT_LT(recorded_events(reader), events.load());
}

// Seeded faults. Forked, the process begins a recording of its own in the same profile: so these come last.
TEST(RecordingHeap, MoreThanAStageHoldsIsNotWritten) {
    EXPECT_DEATH(
        {
            release(allocate(16, 0));
            record::ThreadSlot& slot = *record::this_thread.slot;
            slot.staged = slot.capacity + 1;
            record::flush_events(slot);
        },
        "malloom: fault of malloom's own: thread_slot.cpp:.*slot.is_valid");
}

TEST(RecordingHeap, MoreContextsThanTheirStageHoldsAreNotWritten) {
    EXPECT_DEATH(
        {
            release(allocate(16, 0));
            formats::profile::ProcessStagingHeader& stage = *record::image->contexts.header;
            stage.bytes = stage.capacity + 1;
            record::flush_contexts();
        },
        "malloom: fault of malloom's own: contexts.cpp:.*stage.bytes <= stage.capacity");
}

// A process records into one profile from its start, so the tests run in a child that finds one.
int run_recorded(char** arguments) {
    char folder[] = "/tmp/malloom-recorder-XXXXXX";
    if (mkdtemp(folder) == nullptr) return 1;
    const std::string profile = std::string(folder) + "/profile";
    if (!stream::create_profile(profile, 1).empty()) return 1;
    setenv("MALLOOM", ("record=" + profile).c_str(), 1);
    const pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::filesystem::remove_all(folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (getenv("MALLOOM") == nullptr) return run_recorded(arguments);
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
