// Real unwind tables, and ruined ones.
#include "runtime/context/unwind_section.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/context/frame_rule.h"
#include "runtime/context/loaded_object.h"
#include "tests/amount.h"

namespace {

using malloom::context::describe_frame;
using malloom::context::FrameDescription;
using malloom::context::FrameRule;
using malloom::context::LoadedObject;
using malloom::context::UnwindSection;

LoadedObject c_library() {
    LoadedObject object;
    EXPECT_TRUE(
        find_loaded_object(reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")), object));
    EXPECT_NE(object.unwind.header, 0U);
    return object;
}

// Starts of functions, by the search table itself (two 4-byte offsets an entry, after 12 bytes).
std::vector<uint64_t> function_starts(const UnwindSection& section) {
    const unsigned char* header = section.segment.start + (section.header - section.segment.address);
    uint32_t count = 0;
    memcpy(&count, header + 8, sizeof(count));
    std::vector<uint64_t> starts(count);
    for (uint32_t i = 0; i < count; ++i) {
        int32_t offset = 0;
        memcpy(&offset, header + 12 + size_t{8} * i, sizeof(offset));
        starts[i] = section.header + static_cast<uint64_t>(int64_t{offset});
    }
    return starts;
}

TEST(UnwindSection, KnowsTheFirstInstructionOfFunctions) {
    const LoadedObject object = c_library();
    size_t known = 0;
    const std::vector<uint64_t> starts = function_starts(object.unwind);
    ASSERT_GT(starts.size(), 1000U);
    for (const uint64_t start : starts) {
        // As a return address it belongs to the instruction before it; so one on. There, nothing was pushed
        // yet.
        const FrameDescription frame = describe_frame(object.unwind, start + 1);
        if (frame.rule == FrameRule::make(false, 1, 0) && frame.function == start) {
            ++known;
        }
    }
    EXPECT_GT(known, starts.size() * 9 / 10);
}

void expect_nothing(const UnwindSection& section, uint64_t return_address) {
    EXPECT_EQ(describe_frame(section, return_address).rule, FrameRule::end());
    EXPECT_EQ(describe_frame(section, return_address).function, 0U);
}

TEST(UnwindSection, KnowsNothingOutside) {
    const LoadedObject object = c_library();
    expect_nothing(object.unwind, 0);
    expect_nothing(object.unwind, 1);
    expect_nothing(object.unwind, ~uint64_t{0});
    expect_nothing(object.unwind, object.end + 1);
    expect_nothing({{nullptr, 0, 0}, 0}, 1);
}

// A copy of the C library's tables whose last byte lies right below an unreadable page.
class RuinedTables : public testing::Test {
  protected:
    void SetUp() override {
        original_ = c_library();
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        // From the header to the end of the segment: header and .eh_frame, which follows it.
        skipped_ = original_.unwind.header - original_.unwind.segment.address;
        bytes_ = original_.unwind.segment.bytes - skipped_;
        const size_t rounded = (bytes_ + page - 1) / page * page;
        mapped_ = rounded + page;
        memory_ = static_cast<unsigned char*>(
            mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(memory_, MAP_FAILED);
        ASSERT_EQ(mprotect(memory_ + rounded, page, PROT_NONE), 0);
        copy_ = memory_ + rounded - bytes_;
        memcpy(copy_, original_.unwind.segment.start + skipped_, bytes_);
        starts_ = function_starts(original_.unwind);
    }
    void TearDown() override { munmap(memory_, mapped_); }

    UnwindSection section() const {
        return {{copy_, bytes_, original_.unwind.header}, original_.unwind.header};
    }

    // Where function `index` has its FDE in the copy; the next lookup will be in that function.
    size_t entry_place(size_t index) {
        last_start_ = starts_[index];
        int32_t offset = 0;
        memcpy(&offset, copy_ + 12 + 8 * index + 4, sizeof(offset));
        return static_cast<size_t>(offset);
    }

    uint64_t some_address(std::mt19937_64& random) const {
        return starts_[random() % starts_.size()] + random() % 64;
    }

    LoadedObject original_;
    size_t skipped_ = 0;
    size_t bytes_ = 0;
    size_t mapped_ = 0;
    unsigned char* memory_ = nullptr;
    unsigned char* copy_ = nullptr;
    std::vector<uint64_t> starts_;
    uint64_t last_start_ = 0;
};

TEST_F(RuinedTables, SayTheSameWhereTheyAreCopiedWhole) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const uint64_t address = some_address(random);
        const FrameDescription copied = describe_frame(section(), address);
        const FrameDescription original = describe_frame(original_.unwind, address);
        ASSERT_EQ(copied.rule, original.rule);
        ASSERT_EQ(copied.function, original.function);
    }
}

// Sixteen bytes go wrong anywhere, or right where the next lookup will read them; then they are put right.
TEST_F(RuinedTables, AreNeverReadOutside) {
    std::mt19937_64 random(2);
    const size_t header_bytes = 12 + 8 * starts_.size();
    unsigned kept[16];
    size_t places[16];
    for (int round = 0; round < malloom::tests::amount(300000); ++round) {
        const size_t around = random() % 4 == 0   ? 0
                              : random() % 4 == 0 ? header_bytes + random() % (bytes_ - header_bytes - 64)
                                                  : entry_place(random() % starts_.size());
        for (unsigned i = 0; i < 16; ++i) {
            places[i] = std::min(around + random() % 48, bytes_ - 1);
            kept[i] = copy_[places[i]];
            copy_[places[i]] = random() % 4 == 0 ? 0xff : static_cast<unsigned char>(random());
        }
        const uint64_t rule = describe_frame(section(), last_start_ + random() % 64).rule;
        ASSERT_EQ(FrameRule::tag(rule), 0U);
        if (rule != FrameRule::end()) {
            ASSERT_LT(8 * FrameRule::saved_words(rule), FrameRule::offset_bytes(rule));
        }
        for (unsigned i = 16; i-- > 0;) {
            copy_[places[i]] = static_cast<unsigned char>(kept[i]);
        }
    }
}

TEST_F(RuinedTables, MayEndAnywhere) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 50000; ++round) {
        const size_t bytes = random() % 4 == 0 ? random() % 64 : random() % bytes_;
        // The end that is kept lies at the unreadable page: what is cut off is the start.
        const UnwindSection cut{{copy_ + bytes_ - bytes, bytes, original_.unwind.header},
                                original_.unwind.header};
        describe_frame(cut, some_address(random));
        const uint64_t late = original_.unwind.header + bytes_ - bytes;
        describe_frame({{copy_ + bytes_ - bytes, bytes, late}, original_.unwind.header},
                       some_address(random));
    }
}

}  // namespace
