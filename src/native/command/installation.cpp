#include "src/native/command/installation.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace malloom::command {

namespace {

constexpr int failed = 1;

bool is_file(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Of the program itself, behind all links: so it finds its own environment from wherever it is called.
/// Without its last part; empty where /proc is missing.
std::string own_folder() {
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    const std::string found(path, size > 0 ? static_cast<size_t>(size) : 0);
    return found.substr(0, found.rfind('/'));
}

std::string parent_of(const std::string& folder) {
    return folder.substr(0, folder.rfind('/'));
}

void complain(const std::string& problem) {
    const std::string line = "malloom: " + problem + "\n";
    // There is nobody to tell where it cannot be written.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void exec_with(const std::vector<std::string>& before, char** words, char* const* environment) {
    std::vector<char*> all(before.size());
    std::ranges::transform(before, all.begin(),
                           [](const std::string& word) { return const_cast<char*>(word.c_str()); });
    char** const first = words[0] != nullptr ? words + 1 : words;
    char** end = first;
    while (*end != nullptr) ++end;
    all.insert(all.end(), first, end + 1);
    execve(all[0], all.data(), environment);
}

// As src/malloom/launch/ignored_signals.py reads it: Python ignores these from its start on, and would not
// know that its caller had. Empty where that had not.
std::string ignored_signals() {
    std::string text;
    for (const int number : {SIGPIPE, SIGXFSZ}) {
        struct sigaction now = {};
        if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
            text += (text.empty() ? "MALLOOM_IGNORED_SIGNALS=" : ",") + std::to_string(number);
        }
    }
    return text;
}

std::vector<char*> with_variable(char** environment, std::string& variable) {
    std::vector<char*> words;
    for (; *environment != nullptr; ++environment) words.push_back(*environment);
    if (!variable.empty()) words.push_back(variable.data());
    words.push_back(nullptr);
    return words;
}

}  // namespace

std::string environment_folder() {
    return parent_of(own_folder());
}

std::string run_time_library() {
    const std::string prefix = environment_folder();
    for (const char* const packages : {
             "/lib/" MALLOOM_PYTHON_VERSION "/site-packages",
             "/lib/" MALLOOM_PYTHON_VERSION "/dist-packages",
             "/lib64/" MALLOOM_PYTHON_VERSION "/site-packages",
             "",
         }) {
        std::string library = prefix + packages + "/malloom/native/libmalloom.so";
        if (is_file(library)) return library;
    }
    return {};
}

int become_python(char** words, char** environment) {
    const std::string folder = own_folder();
    const std::string command = folder + "/malloom-python";
    std::string ignored = ignored_signals();
    const std::vector<char*> told = with_variable(environment, ignored);
    exec_with({command}, words, told.data());
    // A script of Python's names its interpreter by the path that it had when it was installed; the
    // environment may have moved since, interpreter and all.
    if (errno == ENOENT && is_file(command)) exec_with({folder + "/python3", command}, words, told.data());
    const std::string remedy =
        is_file(command) ? strerrordesc_np(errno) : "it is missing; install malloom again";
    complain("cannot run " + command + ": " + remedy);
    return failed;
}

}  // namespace malloom::command
