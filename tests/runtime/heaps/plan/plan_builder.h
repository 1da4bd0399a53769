// Builds small plans in memory, right or wrong ones, as the planner would write them.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "formats/plan.h"

namespace malloom::tests {

struct PlanBuilder {
    using Slot = formats::plan::PlanSlot;

    formats::plan::PlanHeader header{};
    std::vector<formats::plan::PlanContext> contexts;
    std::vector<Slot> slots;
    std::vector<formats::plan::PlanSequence> sequences;
    std::vector<formats::plan::PlanGroup> groups;
    std::vector<formats::plan::PlanPrefetch> prefetches;

    explicit PlanBuilder(uint64_t arena_bytes,
                         formats::plan::Matching matching = formats::plan::Matching::context) {
        header.magic = formats::plan::file_magic;
        header.version = formats::plan::version_current;
        header.header_bytes = sizeof header;
        header.matching = static_cast<uint32_t>(matching);
        header.depth = matching == formats::plan::Matching::context ? 1 : 0;
        header.arena_bytes = arena_bytes;
    }

    void add_context(uint64_t hash, const std::vector<Slot>& its, uint32_t group = formats::plan::no_group) {
        contexts.push_back({hash, slots.size(), static_cast<uint32_t>(its.size()), group, 0, 0, 0, 0});
        slots.insert(slots.end(), its.begin(), its.end());
    }

    /// A context whose requests of `bytes` go to a pool of its own.
    void add_pool(uint64_t hash, uint32_t bytes, uint8_t companion_place = formats::plan::no_companion,
                  uint8_t companion_offset = 0, uint16_t companion_objects = 0) {
        contexts.push_back({hash, 0, 0, formats::plan::no_group, bytes, companion_place, companion_offset,
                            companion_objects});
        ++header.pools_count;
    }

    void add_sequence(const std::vector<Slot>& its) {
        sequences.push_back({slots.size(), its.size()});
        slots.insert(slots.end(), its.begin(), its.end());
    }

    /// The plan's bytes, 8-byte aligned; `bytes` receives their number.
    std::vector<uint64_t> build(size_t& bytes) {
        std::vector<formats::plan::PlanContext> table = table_of_contexts();
        header.planned_requests = slots.size();
        header.contexts_offset = sizeof header;
        header.contexts_capacity = table.size();
        header.slots_offset = header.contexts_offset + table.size() * sizeof table[0];
        header.slots_count = slots.size();
        header.sequences_offset = header.slots_offset + slots.size() * sizeof(Slot);
        header.sequences_count = sequences.size();
        header.groups_offset =
            header.sequences_offset + sequences.size() * sizeof(formats::plan::PlanSequence);
        header.groups_count = groups.size();
        header.prefetches_offset = header.groups_offset + groups.size() * sizeof(formats::plan::PlanGroup);
        header.prefetches_count = prefetches.size();
        header.file_bytes = bytes =
            header.prefetches_offset + prefetches.size() * sizeof(formats::plan::PlanPrefetch);
        seal();
        std::vector<uint64_t> image(bytes / 8);
        auto* out = reinterpret_cast<unsigned char*>(image.data());
        copy(out, &header, sizeof header);
        copy(out + header.contexts_offset, table.data(), table.size() * sizeof(formats::plan::PlanContext));
        copy(out + header.slots_offset, slots.data(), slots.size() * sizeof(Slot));
        copy(out + header.sequences_offset, sequences.data(),
             sequences.size() * sizeof(formats::plan::PlanSequence));
        copy(out + header.groups_offset, groups.data(), groups.size() * sizeof(formats::plan::PlanGroup));
        copy(out + header.prefetches_offset, prefetches.data(),
             prefetches.size() * sizeof(formats::plan::PlanPrefetch));
        return image;
    }

    void seal() {
        header.header_checksum = XXH3_64bits(&header, offsetof(formats::plan::PlanHeader, header_checksum));
    }

    void write(const std::string& path) {
        size_t bytes = 0;
        const std::vector<uint64_t> image = build(bytes);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(bytes));
    }

  private:
    static void copy(unsigned char* to, const void* from, size_t bytes) {
        if (bytes != 0) {
            memcpy(to, from, bytes);
        }
    }

    std::vector<formats::plan::PlanContext> table_of_contexts() const {
        if (contexts.empty()) {
            return {};
        }
        size_t capacity = 2;
        while (capacity < 2 * contexts.size()) {
            capacity *= 2;
        }
        std::vector<formats::plan::PlanContext> table(capacity);
        for (const auto& context : contexts) {
            size_t place = context.hash & (capacity - 1);
            while (table[place].hash != 0) {
                place = (place + 1) & (capacity - 1);
            }
            table[place] = context;
        }
        return table;
    }
};

}  // namespace malloom::tests
