#include "src/native/profile/contexts.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "formats/context_hash.h"
#include "formats/profile.h"

namespace malloom::native {

using formats::profile::ContextRecord;
using formats::profile::FrameRecord;
using formats::profile::no_module;

namespace {

constexpr uint32_t unknown_index = UINT32_MAX;
// Recorders number from 0; a number beyond this is corrupt and must not reserve memory.
constexpr uint32_t highest_number = 1u << 26;

uint64_t parse_hex(const std::string& text) {
    const char* begin = text.c_str();
    if (text.starts_with("0x")) begin += 2;
    uint64_t value = 0;
    std::from_chars(begin, text.data() + text.size(), value, 16);
    return value;
}

uint64_t parse_decimal(const std::string& text) {
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 10);
    return value;
}

uint64_t hash_of(const ModuleEntry& module) {
    std::vector<unsigned char> identity;
    for (size_t i = 0; i + 1 < module.build_id.size(); i += 2) {
        identity.push_back(static_cast<unsigned char>(parse_hex(module.build_id.substr(i, 2))));
    }
    if (identity.empty()) {
        const size_t slash = module.path.rfind('/');
        const std::string name = slash == std::string::npos ? module.path : module.path.substr(slash + 1);
        identity.assign(name.begin(), name.end());
    }
    return formats::module_hash(identity.data(), identity.size());
}

void place(std::vector<uint32_t>& indexes, uint64_t number, size_t index) {
    if (number > highest_number) return;
    if (number >= indexes.size()) indexes.resize(number + 1, unknown_index);
    indexes[number] = static_cast<uint32_t>(index);
}

}  // namespace

ContextTable::ContextTable(const ProcessChunks& process) {
    for (const auto* chunk : process.modules) read_module(*chunk);
    for (const auto* chunk : process.contexts) read_contexts(*chunk);
}

void ContextTable::read_module(const stream::ChunkView& chunk) {
    ModuleEntry module;
    uint64_t number = modules.size();
    for (const auto& [key, value] : read_properties(chunk)) {
        if (key == "index") number = parse_decimal(value);
        if (key == "base") module.base = parse_hex(value);
        if (key == "end") module.end = parse_hex(value);
        if (key == "bias") module.bias = parse_hex(value);
        if (key == "build_id") module.build_id = value;
        if (key == "path") module.path = value;
    }
    module.hash = hash_of(module);
    place(module_index_, number, modules.size());
    modules.push_back(std::move(module));
}

void ContextTable::read_contexts(const stream::ChunkView& chunk) {
    std::vector<unsigned char> payload;
    if (!stream::ChunkReader::decode(chunk, payload)) {
        ++corrupt_chunks;
        return;
    }
    std::vector<FrameRecord> frames;
    size_t at = 0;
    while (payload.size() - at >= sizeof(ContextRecord)) {
        ContextRecord record;
        std::memcpy(&record, &payload[at], sizeof record);
        at += sizeof record;
        if (record.frames > (payload.size() - at) / sizeof(FrameRecord)) {
            ++corrupt_chunks;
            return;
        }
        frames.resize(record.frames);
        if (!frames.empty()) std::memcpy(frames.data(), &payload[at], frames.size() * sizeof(FrameRecord));
        at += frames.size() * sizeof(FrameRecord);
        add_context(record.context, frames);
    }
}

void ContextTable::add_context(uint32_t number, std::span<const FrameRecord> frames) {
    place(index_, number, offsets.size() - 1);
    for (const FrameRecord& frame : frames) {
        const bool known = frame.module < module_index_.size();
        frame_modules.push_back(known ? module_index_[frame.module] : no_module);
        frame_offsets.push_back(frame.offset);
    }
    offsets.push_back(frame_offsets.size());
}

uint32_t ContextTable::index_of(uint32_t number) {
    if (number < index_.size() && index_[number] != unknown_index) return index_[number];
    if (lost_ == unknown_index) {
        lost_ = static_cast<uint32_t>(offsets.size() - 1);
        frame_modules.push_back(no_module);
        frame_offsets.push_back(0);
        offsets.push_back(frame_offsets.size());
    }
    return lost_;
}

std::vector<uint64_t> ContextTable::hashes(uint32_t depth) const {
    std::vector<uint64_t> module_hashes, result;
    for (const ModuleEntry& module : modules) module_hashes.push_back(module.hash);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        const size_t count = std::min<size_t>(depth, offsets[i + 1] - offsets[i]);
        result.push_back(chain_hash({frame_modules.data() + offsets[i], count},
                                    {frame_offsets.data() + offsets[i], count}, module_hashes));
    }
    return result;
}

uint64_t chain_hash(std::span<const uint32_t> modules, std::span<const uint64_t> offsets,
                    std::span<const uint64_t> module_hashes) {
    uint64_t hash = formats::context_seed;
    for (size_t i = 0; i < modules.size(); ++i) {
        const bool known = modules[i] < module_hashes.size();
        hash = formats::fold_frame(hash, known ? formats::frame_hash(module_hashes[modules[i]], offsets[i])
                                               : formats::frame_hash(0, 0));
    }
    return hash;
}

Refolding refold(std::span<const uint32_t> context_of_request, std::span<const uint64_t> hashes) {
    Refolding result;
    result.context.reserve(context_of_request.size());
    result.ordinal.reserve(context_of_request.size());
    std::vector<uint32_t> new_index(hashes.size(), unknown_index), counts;
    std::unordered_map<uint64_t, uint32_t> by_hash;
    for (const uint32_t old : context_of_request) {
        if (new_index[old] == unknown_index) {
            const auto [found, added] =
                by_hash.try_emplace(hashes[old], static_cast<uint32_t>(counts.size()));
            if (added) {
                result.hashes.push_back(hashes[old]);
                counts.push_back(0);
            }
            new_index[old] = found->second;
        }
        result.context.push_back(new_index[old]);
        result.ordinal.push_back(counts[new_index[old]]++);
    }
    return result;
}

}  // namespace malloom::native
