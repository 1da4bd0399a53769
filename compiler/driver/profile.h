// The recorded table of fields that the choice is to go by (formats/fields.def).
#pragma once

#include <string>

namespace malloom::driver {

/// Ends with a line that teaches where there is no good table at the path, before anything is linked.
void check_profile(const std::string& path);

}  // namespace malloom::driver
