// The allocator that a plan's record asks for, if it is one, as src/malloom/measure/plan_setting.py judges
// it: a plan may come from anywhere, and must not bring code or variables of its own into a program.
#pragma once

#include <optional>
#include <string>

#include "src/native/command/record.h"

namespace malloom::command {

/// The same with the file that the loader is given. None where it is no allocator that this finds here, is
/// gone, or has a variable that sets none: Python looks further, and says what is wrong.
std::optional<NamedAllocator> found_allocator(const NamedAllocator& named);

}  // namespace malloom::command
