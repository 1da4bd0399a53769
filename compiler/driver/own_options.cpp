#include "compiler/driver/own_options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/driver/failure.h"
#include "formats/choice_file.h"

namespace malloom::driver {

namespace {

constexpr std::string_view prefix = "-fmalloom-";
// Beside those that a choice may name: what is built by it is not kept.
constexpr std::string_view overhead_only = "overhead-only";
constexpr std::string_view remedy =
    "there are -fmalloom-policy=none|overhead-only|pool|maximal|hot-cold|default, -fmalloom-profile=FILE, "
    "-fmalloom-choice=FILE, -fmalloom-write-choice=FILE, -fmalloom-fallback=mimalloc|libc, "
    "-fmalloom-huge=early|late, -fmalloom-expect-links, -fmalloom-name-requests, -fmalloom-remarks, "
    "-fmalloom-remarks=done|missed|all and -fmalloom-verify";

// The plugin's option is called the same, without the f.
constexpr std::string_view policy = "policy=", profile = "profile=", choice = "choice=",
                           written_choice = "write-choice=";
constexpr std::string_view known[] = {policy,         profile,         choice,  written_choice,
                                      "expect-links", "name-requests", "verify"};

// What the plugin is told of it depends on what is linked.
constexpr std::string_view fallback = "fallback=", huge = "huge=";

// These are LLVM's, and told as the plugin's are: each further word asks for more.
constexpr std::string_view remarks = "remarks", remarks_of = "remarks=";
constexpr std::string_view asked_remarks[] = {"done", "missed", "all"};
constexpr std::string_view remark_options[] = {"-pass-remarks=malloom", "-pass-remarks-missed=malloom",
                                               "-pass-remarks-analysis=malloom"};

bool names(std::string_view option, std::string_view text) {
    return option.ends_with('=') ? text.starts_with(option) : text == option;
}

void check_policy(const std::string& argument) {
    const std::string_view name = std::string_view(argument).substr(argument.find('=') + 1);
    const auto& policies = formats::ChoiceFile::policies;
    if (name != overhead_only && std::ranges::find(policies, name) == std::end(policies)) {
        fail(bad_use, argument + ": there is no such policy",
             "choose none, overhead-only, pool, maximal, hot-cold or default");
    }
}

// Whether it is a good one is asked where it is read: compilations get the link's options too.
std::string file_of(const std::string& argument, const char* remedy) {
    std::string file = argument.substr(argument.find('=') + 1);
    if (file.empty()) fail(bad_use, argument + " names no file", remedy);
    return file;
}

void take_remarks(OwnOptions& options, const std::string& argument) {
    const size_t equals = argument.find('=');
    const std::string_view name =
        equals == std::string::npos ? asked_remarks[0] : std::string_view(argument).substr(equals + 1);
    const auto* const found = std::ranges::find(asked_remarks, name);
    if (found == std::end(asked_remarks)) {
        fail(bad_use, argument + ": there are no such remarks", "choose done, missed or all");
    }
    std::erase_if(options.plugin_options,
                  [](const std::string& earlier) { return earlier.starts_with("-pass-remarks"); });
    const auto count = static_cast<size_t>(found - std::begin(asked_remarks)) + 1;
    options.plugin_options.insert(options.plugin_options.end(), remark_options, remark_options + count);
}

// The plugin takes each of its options once: the last counts.
void add_for_plugin(OwnOptions& options, const std::string& argument, std::string_view text) {
    const auto* const option =
        std::ranges::find_if(known, [&](std::string_view one) { return names(one, text); });
    if (option == std::end(known)) fail(bad_use, "there is no option " + argument, remedy);
    if (*option == policy) check_policy(argument);
    if (*option == profile) {
        options.profile = file_of(argument, "name one that 'malloom profile fields -o' has written");
    }
    if (*option == choice) {
        options.choice = file_of(argument, "name one that 'malloom optimize --build' has kept");
    }
    if (*option == written_choice) file_of(argument, "name one that the link is to write");
    const std::string name = "-malloom-" + std::string(*option);
    std::erase_if(options.plugin_options,
                  [&](const std::string& earlier) { return earlier.starts_with(name); });
    options.plugin_options.push_back("-malloom-" + std::string(text));
}

template <size_t count>
std::string one_of(const std::string_view (&words)[count], const std::string& argument, const char* problem,
                   const char* remedy) {
    std::string word = argument.substr(argument.find('=') + 1);
    if (std::ranges::find(words, word) == std::end(words)) fail(bad_use, argument + problem, remedy);
    return word;
}

void add(OwnOptions& options, const std::string& argument) {
    const std::string_view text = std::string_view(argument).substr(prefix.size());
    if (names(remarks, text) || names(remarks_of, text)) {
        take_remarks(options, argument);
    } else if (names(fallback, text)) {
        options.fallback = one_of(formats::ChoiceFile::fallbacks, argument, ": there is no such fallback",
                                  "choose mimalloc or libc");
    } else if (names(huge, text)) {
        options.huge = one_of(formats::ChoiceFile::huge_pages, argument, ": huge pages are not asked for so",
                              "choose early or late");
    } else {
        add_for_plugin(options, argument, text);
    }
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
