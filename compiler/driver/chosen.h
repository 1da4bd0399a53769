// What a choice of policies says of the link beside policies, which are the plugin's to read.
#pragma once

#include <string>

namespace malloom::driver {

/// Empty where the choice does not say so.
struct Chosen {
    std::string fallback;  ///< mimalloc or libc
    std::string huge;      ///< early or late
};

/// What the choice at the path says; nothing where there is none, or no good one, which the plugin refuses.
Chosen chosen_by(const std::string& path);

}  // namespace malloom::driver
