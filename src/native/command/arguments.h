// The command line of `malloom run`. Its options are those that Python has: the build reads them from there
// (cmake/run_options.py).
#pragma once

#include <optional>

namespace malloom::command {

// NOLINTBEGIN(bugprone-macro-parentheses)
enum class Option {
#define OPTION(name) name,
#include <run_options.h>
};

enum class Heap {
#define HEAP(name) name,
#include <run_options.h>
};

enum class Fallback {
#define FALLBACK(name) name,
#include <run_options.h>
};
// NOLINTEND(bugprone-macro-parentheses)

/// What users type for it.
const char* name_of(Heap heap);
const char* name_of(Fallback fallback);

/// What was asked for. Texts belong to the command line.
struct Arguments {
    const char* plan = nullptr;
    std::optional<Heap> heap;
    std::optional<Fallback> fallback;
    bool statistics = false;
    bool json = false;
    std::optional<bool> preallocate;
    std::optional<bool> huge_pages;
    std::optional<bool> packed;
    std::optional<bool> pools_in_mimalloc;
    std::optional<bool> tokens;
    std::optional<bool> colocate;
    std::optional<bool> fallback_huge_pages;
    std::optional<unsigned> purge_delay;  ///< milliseconds
    bool prefetch = true;
    const char* save_plan = nullptr;
    bool print_environment = false;
    char** command = nullptr;  ///< the program and its arguments, ended by a null; null: none is given
};

/// What the words after `run` say, ended by a null. None where they are for Python: help, an option that is
/// only served there, a mistake.
std::optional<Arguments> read_arguments(char** words);

}  // namespace malloom::command
