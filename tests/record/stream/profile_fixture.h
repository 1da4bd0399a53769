// Small profiles on disk, for tests of what reads and recovers them.
#pragma once

#include <gtest/gtest.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "record/stream/checksum.h"
#include "record/stream/chunk_reader.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "record/stream/recovery.h"
#include "tests/record/stream/event_source.h"

namespace malloom::stream {

inline std::vector<unsigned char> plain_chunk(const ChunkIdentity& identity,
                                              const std::vector<unsigned char>& payload) {
    std::vector<unsigned char> chunk(chunk_bound(payload.size()));
    chunk.resize(make_chunk(identity, payload.data(), payload.size(), nullptr, chunk.data()));
    return chunk;
}

/// The chunk with what `change` makes of its header, under checksums that hold.
template <class Change>
std::vector<unsigned char> with_header(std::vector<unsigned char> chunk, Change&& change) {
    formats::profile::ChunkHeader header;
    memcpy(&header, chunk.data(), sizeof header);
    header.payload_checksum = checksum(chunk.data() + sizeof header, header.stored_bytes);
    change(header);
    header.header_checksum = checksum(&header, offsetof(formats::profile::ChunkHeader, header_checksum));
    memcpy(chunk.data(), &header, sizeof header);
    return chunk;
}

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
        columns.resize(encode_events(events.data(), count, first_ticket, columns.data()));
        return plain_chunk({formats::profile::ChunkKind::events, 42, 7, sequence, first_ticket, count},
                           columns);
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
