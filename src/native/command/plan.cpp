#include "src/native/command/plan.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "formats/plan.h"
#include "src/native/command/bytes.h"
#include "src/native/plan/check.h"

namespace malloom::command {

namespace {

using namespace formats::plan;

constexpr uint64_t most_record_bytes = 16 << 20;  // as src/malloom/layout/plan_record.py has it

std::vector<PlanHeader> headers_in(const native::CheckedPlan& plan) {
    std::vector<PlanHeader> headers(plan.headers.size() / sizeof(PlanHeader));
    memcpy(headers.data(), plan.headers.data(), headers.size() * sizeof(PlanHeader));
    return headers;
}

/// None where it cannot be read as the header says.
std::optional<Record> record_of(const char* path, const PlanHeader& header) {
    if (header.record_bytes == 0) return Record();
    if (header.record_bytes > most_record_bytes) return std::nullopt;
    const std::optional<std::string> text = read_part(path, header.record_offset, header.record_bytes);
    return text ? read_record(*text) : std::nullopt;
}

bool says(const PlanHeader& header, PlanFlag flag) {
    return (header.flags & static_cast<uint64_t>(flag)) != 0;
}

/// Whether the fallback alone is as good.
bool says_nothing(const PlanHeader& header) {
    const bool tunes_fallback = says(header, PlanFlag::fallback_huge_pages) || header.purge_delay != 0;
    return header.slots_count == 0 && header.groups_count == 0 && header.pools_count == 0 &&
           header.prefetches_count == 0 && !tunes_fallback;
}

native::CheckedPlan checked(const char* path) {
    try {
        return native::check_plan(path);
    } catch (const std::exception&) {
        return {"cannot be read", ""};
    }
}

/// The analysis core takes names in UTF-8 only; for those of other letters Python looks whether they are.
bool is_ascii(const char* path) {
    return std::all_of(path, path + strlen(path), [](char letter) { return (letter & 0x80) == 0; });
}

}  // namespace

std::optional<OpenedPlan> open_plan(const char* path) {
    const std::unique_ptr<char, decltype(&free)> real(realpath(path, nullptr), free);
    if (!real || !is_ascii(path)) return std::nullopt;
    const native::CheckedPlan plan = checked(path);
    if (!plan.problem.empty()) return std::nullopt;
    const std::vector<PlanHeader> headers = headers_in(plan);
    const PlanHeader& header = headers.front();
    OpenedPlan opened;
    opened.path = real.get();
    opened.fallback = says(header, PlanFlag::system_fallback) ? Fallback::system : Fallback::mimalloc;
    opened.says_nothing = std::all_of(headers.begin(), headers.end(), says_nothing);
    const std::optional<Record> record = record_of(path, header);
    if (!record) return std::nullopt;
    opened.record = *record;
    return opened;
}

}  // namespace malloom::command
