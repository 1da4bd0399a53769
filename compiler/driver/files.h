// The files that a compilation needs beside the user's.
#pragma once

#include <optional>
#include <string>

namespace malloom::driver {

/// The program of that name in the PATH; ends with a line that says what to install where there is none.
std::string find_program(const std::string& name, const std::string& package);

/// The plugin, and the archive of what compiled programs call. Ends with a line where one is missing.
struct LinkFiles {
    std::string plugin;
    std::string archive;
};
LinkFiles find_link_files();

/// The archive with mimalloc as malloc; ends with a line where it is missing.
std::string find_mimalloc();

/// What a file holds; none where there is none to be read, or something else than a file.
std::optional<std::string> text_of(const char* path);

/// An option for clang that names lld of its own version, or an empty string where it finds that itself.
std::string linker_option(const std::string& clang);

}  // namespace malloom::driver
