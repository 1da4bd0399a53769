#include "src/native/command/arguments.h"

#include <string.h>

#include <charconv>
#include <string_view>

namespace malloom::command {

namespace {

enum class Says { value, on, off };

struct Spelling {
    std::string_view text;
    Option option;
    Says says;
};

constexpr Spelling spellings[] = {
#define SPELLING(text, name, says) {text, Option::name, Says::says},
#include <run_options.h>
};

constexpr const char* heap_names[] = {
#define HEAP(name) #name,
#include <run_options.h>
};

constexpr const char* fallback_names[] = {
#define FALLBACK(name) #name,
#include <run_options.h>
};

const Spelling* find_spelling(std::string_view text) {
    for (const Spelling& spelling : spellings) {
        if (spelling.text == text) return &spelling;
    }
    return nullptr;
}

template <typename Choice, size_t count>
bool choose(std::optional<Choice>& choice, const char* const (&names)[count], const char* value) {
    for (size_t index = 0; index < count; ++index) {
        if (strcmp(names[index], value) == 0) choice = static_cast<Choice>(index);
    }
    return choice.has_value();
}

/// Of up to nine digits, and nothing else.
bool take_number(std::optional<unsigned>& number, std::string_view value) {
    const bool has_digits = !value.empty() && value.size() <= 9 &&
                            value.find_first_not_of("0123456789") == std::string_view::npos;
    unsigned read = 0;
    std::from_chars(value.data(), value.data() + value.size(), read);
    number = read;
    return has_digits;
}

/// False where Python has to look at it.
bool take_value(Arguments& arguments, Option option, const char* value) {
    switch (option) {
        case Option::plan:
            arguments.plan = value;
            return true;
        case Option::save_plan:
            arguments.save_plan = value;
            return true;
        case Option::heap:
            arguments.heap.reset();
            return choose(arguments.heap, heap_names, value);
        case Option::fallback:
            arguments.fallback.reset();
            return choose(arguments.fallback, fallback_names, value);
        case Option::purge_delay:
            return take_number(arguments.purge_delay, value);
        default:
            return false;
    }
}

bool take_switch(Arguments& arguments, Option option, bool is_on) {
    switch (option) {
        case Option::statistics:
            arguments.statistics = is_on;
            return true;
        case Option::as_json:
            arguments.json = is_on;
            return true;
        case Option::preallocate:
            arguments.preallocate = is_on;
            return true;
        case Option::huge_pages:
            arguments.huge_pages = is_on;
            return true;
        case Option::packed:
            arguments.packed = is_on;
            return true;
        case Option::pools_in_mimalloc:
            arguments.pools_in_mimalloc = is_on;
            return true;
        case Option::fallback_huge_pages:
            arguments.fallback_huge_pages = is_on;
            return true;
        case Option::tokens:
            arguments.tokens = is_on;
            return true;
        case Option::colocate:
            arguments.colocate = is_on;
            return true;
        case Option::prefetch:
            arguments.prefetch = is_on;
            return true;
        case Option::print_environment:
            arguments.print_environment = is_on;
            return true;
        // Of --dynamic alone, as all that Python reads.
        default:
            return false;
    }
}

/// Takes the option that a word is, and the word after it where that is its value. False likewise.
bool take_option(Arguments& arguments, char**& words) {
    const std::string_view word = *words;
    const size_t sign = word.find('=');
    const Spelling* const spelling = find_spelling(word.substr(0, sign));
    if (spelling == nullptr) return false;
    if (spelling->says != Says::value) {
        ++words;
        return sign == std::string_view::npos &&
               take_switch(arguments, spelling->option, spelling->says == Says::on);
    }
    const char* const value = sign != std::string_view::npos ? *words + sign + 1 : *++words;
    // What looks like an option may be one, whose value was forgotten.
    if (value == nullptr || value[0] == '\0' || value[0] == '-') return false;
    ++words;
    return take_value(arguments, spelling->option, value);
}

}  // namespace

const char* name_of(Heap heap) {
    return heap_names[static_cast<size_t>(heap)];
}

const char* name_of(Fallback fallback) {
    return fallback_names[static_cast<size_t>(fallback)];
}

std::optional<Arguments> read_arguments(char** words) {
    Arguments arguments;
    while (*words != nullptr && (*words)[0] == '-' && (*words)[1] != '\0') {
        if (strcmp(*words, "--") == 0) {
            ++words;
            break;
        }
        if (!take_option(arguments, words)) return std::nullopt;
    }
    arguments.command = *words != nullptr ? words : nullptr;
    if (arguments.command == nullptr && !arguments.print_environment) return std::nullopt;
    return arguments;
}

}  // namespace malloom::command
