// The profile as text: its words (docs/formats.md has the lines).
#pragma once

#include <stdint.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "formats/profile.h"

namespace malloom::native::text {

inline constexpr std::string_view first_line = "malloom profile text 1";

struct Word {
    std::string_view name;
    unsigned number;
};

using formats::profile::AccessKind;
using formats::profile::ChunkKind;
using formats::profile::Codec;
using formats::profile::EventKind;

inline constexpr std::array chunk_kinds{
    Word{"process", unsigned(ChunkKind::process)},   Word{"module", unsigned(ChunkKind::module)},
    Word{"contexts", unsigned(ChunkKind::contexts)}, Word{"events", unsigned(ChunkKind::events)},
    Word{"accesses", unsigned(ChunkKind::accesses)}, Word{"end", unsigned(ChunkKind::end)}};
inline constexpr std::array event_kinds{Word{"allocate", unsigned(EventKind::allocate)},
                                        Word{"allocate_zeroed", unsigned(EventKind::allocate_zeroed)},
                                        Word{"release", unsigned(EventKind::release)},
                                        Word{"reallocate_release", unsigned(EventKind::reallocate_release)},
                                        Word{"reallocate", unsigned(EventKind::reallocate)},
                                        Word{"touch", unsigned(EventKind::touch)},
                                        Word{"near", unsigned(EventKind::near)},
                                        Word{"stop", unsigned(EventKind::stop)}};
inline constexpr std::array marker_kinds{Word{"event", unsigned(AccessKind::event)},
                                         Word{"time", unsigned(AccessKind::time)},
                                         Word{"gap", unsigned(AccessKind::gap)}};
inline constexpr std::array codecs{Word{"plain", unsigned(Codec::plain)},
                                   Word{"zstd", unsigned(Codec::zstd)}};

/// The name of a number; empty where it has none.
template <size_t n>
constexpr std::string_view name_of(const std::array<Word, n>& words, unsigned number) {
    for (const Word& word : words) {
        if (word.number == number) return word.name;
    }
    return {};
}

template <size_t n>
constexpr std::optional<unsigned> number_of(const std::array<Word, n>& words, std::string_view name) {
    for (const Word& word : words) {
        if (word.name == name) return word.number;
    }
    return std::nullopt;
}

inline void put_number(std::string& out, uint64_t value, int base = 10) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
    out.append(digits, end);
}

/// The whole of `digits` as a number, or nothing.
inline std::optional<uint64_t> get_number(std::string_view digits, int base = 10) {
    uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, base);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return value;
}

/// Takes the first word off `line`; words are parted by single spaces.
inline std::string_view take_word(std::string_view& line) {
    const size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
    return word;
}

}  // namespace malloom::native::text
