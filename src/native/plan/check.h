// Whether a file is a plan that the run time will take, or several, their bodies included.
#pragma once

#include <string>

namespace malloom::native {

struct CheckedPlan {
    std::string problem;  ///< what is wrong with the plan, to stand after its path; empty where it is good
    std::string headers;  ///< the bytes of each plan's PlanHeader; empty where it is not good
};

/// Opens the file at `path` once, and checks of each plan in it lengths, version, both checksums, and that
/// every section lies in it; and that no two are for one executable. Throws std::runtime_error, which names
/// the path and says why, where the file is no ordinary one or cannot be read.
CheckedPlan check_plan(const std::string& path);

}  // namespace malloom::native
