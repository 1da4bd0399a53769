// What the process runs.
#pragma once

#include <limits.h>

namespace malloom::platform {

/// File name of the executable without its folders; empty where the system does not tell.
struct ExecutableName {
    char text[NAME_MAX + 1] = {};

    /// Asks the system. Keeps errno.
    void find();
};

}  // namespace malloom::platform
