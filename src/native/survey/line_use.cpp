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
        Line& use = lines_[first_line_of(line / page_lines) + line % page_lines];
        use.accesses += access.weight;
        use.first = std::min(use.first, position);
        use.used |= bits(begin % line_bytes, line_end - line * line_bytes);
        begin = line_end;
    }
}

size_t LineUse::first_line_of(uint64_t page) {
    if (page == latest_page_) return latest_line_;
    const auto [found, is_new] = first_lines_.try_emplace(page, lines_.size());
    if (is_new) {
        pages_.push_back(page);
        lines_.resize(lines_.size() + page_lines, Line{0, never, 0});
    }
    latest_page_ = page;
    return latest_line_ = found->second;
}

}  // namespace malloom::native
