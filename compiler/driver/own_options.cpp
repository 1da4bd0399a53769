#include "compiler/driver/own_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/driver/failure.h"

namespace malloom::driver {

namespace {

constexpr std::string_view prefix = "-fmalloom-";
constexpr std::string_view policies[] = {"none", "pool", "maximal", "default"};
constexpr std::string_view known = "there are -fmalloom-policy=none|pool|maximal|default";

// Options that are to come. The plugin's option of the same name follows from the name: see plugin_option.
constexpr std::string_view not_yet[] = {"verify", "profile="};

std::string plugin_option(std::string_view option) {
    return "-malloom-" + std::string(option);
}

void check_policy(const std::string& argument, std::string_view policy) {
    if (std::ranges::find(policies, policy) == std::end(policies)) {
        fail(bad_use, argument + ": there is no such policy", "choose none, pool, maximal or default");
    }
}

void add(OwnOptions& options, const std::string& argument) {
    const std::string_view option = std::string_view(argument).substr(prefix.size());
    for (const std::string_view name : not_yet) {
        if (option.starts_with(name)) {
            fail(bad_use, argument + " is not there yet", "leave it out");
        }
    }
    constexpr std::string_view policy = "policy=";
    if (!option.starts_with(policy)) fail(bad_use, "there is no option " + argument, known);
    check_policy(argument, option.substr(policy.size()));
    // The plugin takes each of its options once.
    options.plugin_options = {plugin_option(option)};
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
