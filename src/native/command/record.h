// A plan's record, as src/malloom/layout/plan_record.py reads it: under which allocator the plan runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/native/command/arguments.h"

namespace malloom::command {

/// A general allocator as a record names it, which may have been made up.
struct NamedAllocator {
    std::string library;  ///< its file; empty where it is the C library's own
    std::vector<std::pair<std::string, std::string>> variables;  ///< that set it
    uint64_t up_to = 0;        ///< bytes resident at which the program leaves it; 0: never
    bool huge_beyond = false;  ///< what then serves has huge pages
};

struct Record {
    std::optional<Heap> heap =
        Heap::plan;              ///< with which the plan is run; none: it names none that it can be
    bool has_allocator = false;  ///< it wants one under it
    std::optional<NamedAllocator>
        allocator;  ///< none where there is none, or it is not described as it should be
};

/// What a record's text says; none where it is no JSON object.
std::optional<Record> read_record(std::string_view text);

}  // namespace malloom::command
