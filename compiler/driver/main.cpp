// malloom-cc and malloom-c++: clang, with pools and split structures at the link. It adds options and becomes
// clang, so its output, its exit status and what signals do to it are clang's. Which of the two it is, its
// name says.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "compiler/driver/command.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/invocation.h"
#include "compiler/driver/own_options.h"
#include "compiler/driver/response_files.h"

namespace {

using namespace malloom::driver;

bool has_only_inputs(const Arguments& arguments) {
    return std::ranges::find(arguments, "--") != arguments.end();
}

// What the files say stays in them, unless they hold an option that clang does not know, or what ends
// options.
Arguments clangs_arguments(const Arguments& given, const Arguments& all, const OwnOptions& own) {
    const Arguments kept = without_own(given);
    const bool all_were_given =
        given.size() - kept.size() == own.count && has_only_inputs(given) == has_only_inputs(all);
    return with_bitcode_tools(all_were_given ? kept : without_own(all));
}

// Behind a -- all are inputs.
void add_last(Arguments& arguments, const Arguments& last) {
    arguments.insert(std::ranges::find(arguments, "--"), last.begin(), last.end());
}

[[noreturn]] void become(const std::string& clang, Arguments& arguments) {
    std::vector<char*> words = {const_cast<char*>(clang.c_str())};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    execv(clang.c_str(), words.data());
    const char* const remedy = errno == E2BIG ? "put them into a file, and give @FILE" : "does it run alone?";
    fail(failed, "cannot run " + clang + ": " + strerror(errno), remedy);
}

}  // namespace

int main(int count, char** words) {
    const bool is_cpp = std::string_view(words[0]).ends_with("++");
    if (is_cpp) program_name = "malloom-c++";
    const Arguments given(words + 1, words + count);
    const Arguments all = expanded(given);
    const OwnOptions own = own_options(all);
    const std::string clang =
        find_program(is_cpp ? "clang++-" MALLOOM_LLVM_VERSION : "clang-" MALLOOM_LLVM_VERSION,
                     "clang-" MALLOOM_LLVM_VERSION);
    const Invocation invocation = read_invocation(without_own(all));
    Arguments arguments = added_arguments(invocation, own, clang);
    for (const std::string& argument : clangs_arguments(given, all, own)) arguments.push_back(argument);
    add_last(arguments, last_arguments(invocation, own));
    become(clang, arguments);
}
