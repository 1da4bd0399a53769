// The options that clang does not know: -fmalloom-*.
#pragma once

#include <string>

#include "compiler/driver/response_files.h"

namespace malloom::driver {

struct OwnOptions {
    Arguments plugin_options;  ///< what the plugin is told at the link
    std::string profile;       ///< the file that one of them names, or empty
    std::string choice;        ///< the same
    std::string fallback;      ///< what serves all that pools do not: mimalloc or libc; empty where unsaid
    std::string huge;          ///< when pools ask for huge pages: early or late; empty where unsaid
    size_t count = 0;          ///< how many of the arguments were own options
};

bool is_own(const std::string& argument);

/// Reads those among the arguments; ends with a line that teaches where one of them cannot be.
OwnOptions own_options(const Arguments& arguments);

/// The arguments that are clang's.
Arguments without_own(const Arguments& arguments);

}  // namespace malloom::driver
