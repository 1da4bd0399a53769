// Requests by way of functions that are named for their alias sets, and nothing else: a recording of such a
// program tells by its call chains which set requested how many bytes.
#pragma once

#include <vector>

#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// What the name of a set's functions begins with; its number among the decisions follows, then '.' and the
/// allocator's name.
constexpr const char* named_request_prefix = "malloom_set_";

/// Every direct call of an allocator by which a set's objects are requested calls such a function instead,
/// which does the same. Others stay as they are.
void name_requests(const std::vector<Decision>& decisions);

}  // namespace malloom::compiler
