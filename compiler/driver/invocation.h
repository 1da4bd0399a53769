// What a command line asks clang for, as far as the driver has to know.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "compiler/driver/response_files.h"

namespace malloom::driver {

enum class Goal : uint8_t {
    other,   ///< text, an answer, a precompiled header: nothing that becomes part of a program
    object,  ///< -c
    program  ///< a program or a shared library
};

enum class Optimisation : uint8_t { unsaid, none, some };

struct Invocation {
    Goal goal = Goal::program;
    Optimisation optimisation = Optimisation::unsaid;
    bool has_code = false;     ///< an input is compiled
    bool has_header = false;   ///< an input is a header, to be precompiled
    bool has_objects = false;  ///< an input is the linker's
    bool is_foreign =
        false;  ///< for another processor or system than the driver's own, or for an accelerator
    bool is_relocatable = false;         ///< -r: the program's link comes later
    bool is_shared = false;              ///< -shared: not a program but a library
    bool lacks_c_library = false;        ///< the C library, or what it needs in each program
    bool wraps_functions = false;        ///< the linker is asked to lead calls elsewhere than to their names
    std::string link_time_optimisation;  ///< what the last -flto said: full, thin or none; else empty
    std::string linker;                  ///< the one that is asked for, or empty
    std::set<std::string, std::less<>> sanitizers;

    bool has_inputs() const { return has_code || has_header || has_objects; }
};

/// What the arguments, with their response files expanded, come to.
Invocation read_invocation(const Arguments& arguments);

}  // namespace malloom::driver
