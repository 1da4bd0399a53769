#include "compiler/driver/own_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/driver/failure.h"

namespace malloom::driver {

namespace {

constexpr std::string_view prefix = "-fmalloom-";
constexpr std::string_view policies[] = {"none", "pool", "maximal", "default"};
constexpr std::string_view remedy =
    "there are -fmalloom-policy=none|pool|maximal|default and -fmalloom-verify";

// The plugin's option is called the same, without the f. What it does not know yet is not there.
struct Option {
    std::string_view name;
    bool is_there;
};
constexpr Option known[] = {{"policy=", true}, {"verify", true}, {"profile=", false}};

bool names(const Option& option, std::string_view text) {
    return option.name.ends_with('=') ? text.starts_with(option.name) : text == option.name;
}

void check_policy(const std::string& argument) {
    const std::string_view policy = std::string_view(argument).substr(argument.find('=') + 1);
    if (std::ranges::find(policies, policy) == std::end(policies)) {
        fail(bad_use, argument + ": there is no such policy", "choose none, pool, maximal or default");
    }
}

// The plugin takes each of its options once: the last counts.
void add(OwnOptions& options, const std::string& argument) {
    const std::string_view text = std::string_view(argument).substr(prefix.size());
    const auto* const option =
        std::ranges::find_if(known, [&](const Option& one) { return names(one, text); });
    if (option == std::end(known)) fail(bad_use, "there is no option " + argument, remedy);
    if (!option->is_there) fail(bad_use, argument + " is not there yet", "leave it out");
    if (option->name == "policy=") check_policy(argument);
    const std::string name = "-malloom-" + std::string(option->name);
    std::erase_if(options.plugin_options,
                  [&](const std::string& earlier) { return earlier.starts_with(name); });
    options.plugin_options.push_back("-malloom-" + std::string(text));
}

}  // namespace

bool is_own(const std::string& argument) {
    return argument.starts_with(prefix);
}

OwnOptions own_options(const Arguments& arguments) {
    OwnOptions options;
    for (const std::string& argument : arguments) {
        if (!is_own(argument)) continue;
        add(options, argument);
        ++options.count;
    }
    return options;
}

Arguments without_own(const Arguments& arguments) {
    Arguments rest;
    std::ranges::remove_copy_if(arguments, std::back_inserter(rest), is_own);
    return rest;
}

}  // namespace malloom::driver
