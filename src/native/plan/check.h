// Whether a file is a plan that the run time will take, its body included.
#pragma once

#include <string>

namespace malloom::native {

struct CheckedPlan {
    std::string problem;  ///< what is wrong with the plan, to stand after its path; empty where it is good
    std::string header;   ///< the bytes of its PlanHeader; empty where it is not good
};

/// Opens the plan at `path` once, and checks lengths, version, both checksums, and that every section lies in
/// the file. Throws std::runtime_error, which names the path and says why, where the file is no ordinary one
/// or cannot be read.
CheckedPlan check_plan(const std::string& path);

}  // namespace malloom::native
