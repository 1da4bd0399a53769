#include "compiler/driver/command.h"

#include "compiler/driver/chosen.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/fallback.h"
#include "compiler/driver/files.h"
#include "compiler/driver/profile.h"

namespace malloom::driver {

namespace {

bool names_lld(const std::string& linker) {
    return linker.empty() || linker == "lld" || linker == "lld-" MALLOOM_LLVM_VERSION || linker == "ld.lld" ||
           linker == "ld.lld-" MALLOOM_LLVM_VERSION;
}

// What clang does alone: what is no part of a program, and what the user wants otherwise.
bool is_clangs(const Invocation& invocation) {
    return invocation.goal == Goal::other || !invocation.has_inputs() || invocation.is_foreign ||
           invocation.link_time_optimisation == "thin" || invocation.link_time_optimisation == "none";
}

// Nothing of what such a command makes or links is changed. Sanitizers know where the C library's objects
// lie.
bool is_plain(const Invocation& invocation) {
    return invocation.optimisation == Optimisation::none || !invocation.sanitizers.empty();
}

// A link says nothing of optimisation where its objects were compiled before; code without a level has none.
bool makes_bitcode(const Invocation& invocation) {
    return !is_plain(invocation) && (invocation.optimisation == Optimisation::some || !invocation.has_code);
}

// A relocatable object's pools would meet those of the program it becomes part of. Of names that are wrapped
// nobody here knows whose function is called.
bool is_transformed(const Invocation& invocation) {
    return !is_plain(invocation) && !invocation.is_relocatable && !invocation.lacks_c_library &&
           !invocation.wraps_functions && names_lld(invocation.linker);
}

void for_linker(Arguments& arguments, const std::string& word) {
    arguments.emplace_back("-Xlinker");
    arguments.push_back(word);
}

bool asks_early_for_huge_pages(const OwnOptions& own) {
    return (own.huge.empty() ? chosen_by(own.choice).huge : own.huge) == "early";
}

// The plugin is loaded twice: the first time for its options, before they are read.
void add_plugin(Arguments& arguments, const OwnOptions& own) {
    const LinkFiles files = find_link_files();
    if (!own.profile.empty()) check_profile(own.profile);
    for_linker(arguments, "-mllvm=-load=" + files.plugin);
    for_linker(arguments, "--load-pass-plugin=" + files.plugin);
    for (const std::string& option : own.plugin_options) for_linker(arguments, "-mllvm=" + option);
    for_linker(arguments, files.archive);
    if (asks_early_for_huge_pages(own)) {
        for_linker(arguments, "--undefined=malloom_early_huge_pages");
        for_linker(arguments, "-mllvm=-malloom-early-huge-pages");
    }
}

// Objects of other commands may be bitcode whatever this one makes, so lld links them all.
void add_linker(Arguments& arguments, const Invocation& invocation, const std::string& clang) {
    if (!names_lld(invocation.linker)) {
        warn(
            "no structure gets pools or is split, as only lld can do that; leave out the option that asks "
            "for " +
            invocation.linker);
    } else if (invocation.linker.empty()) {
        arguments.emplace_back("-fuse-ld=lld");
        const std::string path = linker_option(clang);
        if (!path.empty()) arguments.push_back(path);
    }
}

}  // namespace

Arguments added_arguments(const Invocation& invocation, const OwnOptions& own, const std::string& clang) {
    Arguments added;
    if (is_clangs(invocation)) return added;
    if (makes_bitcode(invocation)) added.emplace_back("-flto=full");
    if (invocation.goal == Goal::program) {
        add_linker(added, invocation, clang);
        if (is_transformed(invocation)) add_plugin(added, own);
    }
    return added;
}

Arguments last_arguments(const Invocation& invocation, const OwnOptions& own) {
    Arguments last;
    if (!links_mimalloc(invocation, own)) return last;
    // Programs that leave all requests to libraries have it too.
    for_linker(last, "--undefined=malloc");
    for_linker(last, find_mimalloc());
    if (!is_clangs(invocation) && is_transformed(invocation)) for_linker(last, "-mllvm=-malloom-mimalloc");
    return last;
}

Arguments with_bitcode_tools(Arguments arguments) {
    for (std::string& argument : arguments) {
        const size_t equals = argument.find("-print-prog-name=");
        if (equals > 1) continue;
        const size_t name = argument.find('=') + 1;
        const std::string tool = argument.substr(name);
        if (tool == "ar" || tool == "nm" || tool == "ranlib") argument.insert(name, "llvm-");
        if (tool == "ld") argument.insert(name + tool.size(), ".lld");
    }
    return arguments;
}

}  // namespace malloom::driver
