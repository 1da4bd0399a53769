#include "src/native/survey/line_use.h"

#include <algorithm>

namespace malloom::native {

namespace {

/// Bits of the bytes of [begin, end) within a line; `end` is above `begin` and at most 64.
uint64_t bits(uint64_t begin, uint64_t end) {
    return (~uint64_t{0} >> (LineUse::line_bytes - (end - begin))) << begin;
}

}  // namespace

void LineUse::add(const ResolvedAccess& access, uint64_t position) {
    if (access.request >= addresses_.size()) return;
    uint64_t begin = addresses_[access.request] + access.offset();
    const uint64_t end = begin + access.size();
    while (begin < end) {
        const uint64_t line = begin / line_bytes;
        const uint64_t line_end = std::min(end, (line + 1) * line_bytes);
        const size_t at = first_line_of(line / page_lines) + line % page_lines;
        columns_.accesses[at] += access.weight;
        columns_.first[at] = std::min(columns_.first[at], position);
        columns_.used[at] |= bits(begin % line_bytes, line_end - line * line_bytes);
        begin = line_end;
    }
}

size_t LineUse::first_line_of(uint64_t page) {
    if (page == latest_page_) return latest_line_;
    const size_t lines = columns_.accesses.size();
    const auto [found, is_new] = pages_.try_emplace(page, lines);
    if (is_new) {
        columns_.pages.push_back(page);
        columns_.accesses.resize(lines + page_lines);
        columns_.first.resize(lines + page_lines, never);
        columns_.used.resize(lines + page_lines);
    }
    latest_page_ = page;
    return latest_line_ = found->second;
}

}  // namespace malloom::native
