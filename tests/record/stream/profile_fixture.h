// Small profiles on disk, for tests of what reads and recovers them.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "record/stream/chunk_reader.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "record/stream/recovery.h"
#include "tests/record/stream/event_source.h"

namespace malloom::stream {

class ProfileFixture : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/malloom-stream-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder_ = name;
        path_ = folder_ + "/profile";
        ASSERT_EQ(create_profile(path_, 1'000'000'000), "");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    static std::vector<unsigned char> events_chunk(unsigned seed, uint32_t sequence, uint64_t first_ticket,
                                                   size_t count) {
        const auto events = make_events(seed, count, first_ticket, false);
        std::vector<unsigned char> columns(encode_events_bound(count));
        const size_t bytes = encode_events(events.data(), count, first_ticket, columns.data());
        std::vector<unsigned char> chunk(chunk_bound(bytes));
        const ChunkIdentity identity{
            formats::profile::ChunkKind::events, 42, 7, sequence, first_ticket, count};
        chunk.resize(make_chunk(identity, columns.data(), bytes, nullptr, chunk.data()));
        return chunk;
    }

    void append(const std::vector<unsigned char>& bytes) {
        std::ofstream file(path_, std::ios::binary | std::ios::app);
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

    std::vector<unsigned char> contents() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    void replace(const std::vector<unsigned char>& bytes) {
        std::filesystem::resize_file(path_, 0);
        append(bytes);
    }

    std::string folder_;
    std::string path_;
};

}  // namespace malloom::stream
