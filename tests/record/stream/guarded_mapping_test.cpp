#include "record/stream/guarded_mapping.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/record/stream/profile_fixture.h"

namespace malloom::stream {
namespace {

class File {
  public:
    explicit File(size_t pages) : bytes_(pages * static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
        char name[] = "/tmp/malloom-guarded-XXXXXX";
        descriptor = mkstemp(name);
        unlink(name);
        const std::string content(bytes_, 'x');
        EXPECT_EQ(write(descriptor, content.data(), bytes_), static_cast<ssize_t>(bytes_));
    }
    ~File() { close(descriptor); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    size_t bytes() const { return bytes_; }
    void cut() const { EXPECT_EQ(ftruncate(descriptor, 0), 0); }

    int descriptor = -1;

  private:
    size_t bytes_;
};

TEST(GuardedMapping, WhatIsCutReadsAsZeros) {
    const File file(3);
    GuardedMapping mapping;
    ASSERT_TRUE(mapping.open(file.descriptor, file.bytes()));
    EXPECT_EQ(mapping.data()[file.bytes() - 1], 'x');
    file.cut();
    EXPECT_EQ(mapping.data()[0], 0);
    EXPECT_EQ(mapping.data()[file.bytes() - 1], 0);
}

TEST(GuardedMapping, ThereMayBeManyOneAfterTheOther) {
    for (int i = 0; i < 200; ++i) {
        const File file(1);
        GuardedMapping mapping;
        ASSERT_TRUE(mapping.open(file.descriptor, file.bytes()));
        file.cut();
        EXPECT_EQ(mapping.data()[1], 0);
    }
}

TEST(GuardedMappingDeathTest, OtherMappingsAreNobodysToSave) {
    EXPECT_DEATH(
        {
            const File file(1);
            const File other(1);
            GuardedMapping mapping;
            mapping.open(file.descriptor, file.bytes());
            void* plain = mmap(nullptr, other.bytes(), PROT_READ, MAP_PRIVATE, other.descriptor, 0);
            other.cut();
            _exit(*static_cast<volatile char*>(plain));
        },
        "");
}

class CutProfile : public ProfileFixture {};

TEST_F(CutProfile, ItsChunksDecodeNoMore) {
    for (uint32_t i = 0; i < 400; ++i) append(events_chunk(i, i, 1 + uint64_t{i} * 100, 100));
    ChunkReader reader;
    ASSERT_TRUE(reader.open(path_.c_str())) << reader.problem();
    ASSERT_EQ(reader.chunks().size(), 400u);
    std::filesystem::resize_file(path_, sizeof(formats::profile::FileHeader));
    std::vector<unsigned char> payload;
    EXPECT_FALSE(ChunkReader::decode(reader.chunks()[399], payload));
}

}  // namespace
}  // namespace malloom::stream
