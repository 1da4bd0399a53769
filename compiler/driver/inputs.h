// What clang takes a file for: by the language that -x names, else by the end of its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace malloom::driver {

enum class InputKind : uint8_t {
    code,    ///< is compiled or assembled
    header,  ///< is precompiled
    kernel,  ///< has parts for an accelerator
    object   ///< is the linker's, whatever it is
};

/// `language` is empty where the name decides.
InputKind input_kind(std::string_view path, std::string_view language);

}  // namespace malloom::driver
