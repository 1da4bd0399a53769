#include "compiler/driver/invocation.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/driver/inputs.h"
#include "compiler/driver/option_tables.h"
#include "compiler/driver/response_files.h"

namespace malloom::driver {

namespace {

#if defined(__x86_64__)
constexpr std::string_view own_processor = "x86_64-";
#elif defined(__aarch64__)
constexpr std::string_view own_processor = "aarch64-";
#endif

// What follows `prefix` in a text that begins with it.
std::optional<std::string_view> after(std::string_view prefix, std::string_view text) {
    if (!text.starts_with(prefix)) return std::nullopt;
    return text.substr(prefix.size());
}

bool is_own_target(std::string_view target) {
    return target.starts_with(own_processor) &&
           (target.ends_with("-linux-gnu") || target.ends_with("-linux"));
}

template <typename Use>
void for_each_part(std::string_view list, Use use) {
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        use(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

// Goes through the arguments from left to right; what comes later wins where clang has it so.
class Reader {
  public:
    explicit Reader(const Arguments& arguments) : arguments_(arguments) {}

    Invocation read() {
        while (at_ < arguments_.size()) {
            const std::string_view argument = arguments_[at_++];
            if (argument == "--" && !only_inputs_) {
                only_inputs_ = true;
            } else if (only_inputs_ || argument == "-" || !argument.starts_with('-')) {
                read_input(argument);
            } else {
                read_option(argument);
            }
        }
        found_.lacks_c_library =
            (lacks_libraries_ && !names_c_library_) || (lacks_start_files_ && !names_start_file_);
        if (found_.has_header && !found_.has_objects) found_.goal = Goal::other;
        return found_;
    }

  private:
    void read_input(std::string_view path) {
        switch (input_kind(path, language_)) {
            case InputKind::code:
                found_.has_code = true;
                break;
            case InputKind::header:
                found_.has_header = true;
                break;
            case InputKind::kernel:
                found_.is_foreign = true;
                break;
            case InputKind::object:
                found_.has_objects = true;
                if (path.find("crtbegin") != std::string_view::npos) names_start_file_ = true;
                break;
        }
    }

    void read_option(std::string_view option) {
        if (takes_next(option)) {
            const std::string_view value = at_ < arguments_.size() ? arguments_[at_++] : std::string_view();
            read_pair(option, value);
        } else if (ends_before_object(option) || is_question(option)) {
            found_.goal = Goal::other;
        } else if (option == "-c" || option == "--compile") {
            if (found_.goal == Goal::program) found_.goal = Goal::object;
        } else if (!read_joined(option)) {
            read_setting(option);
        }
    }

    // Options that clang also takes with their value joined to them.
    bool read_joined(std::string_view option) {
        if (const auto language = after("-x", option)) {
            read_pair("-x", *language);
        } else if (const auto library = after("-l", option)) {
            read_pair("-l", *library);
        } else if (const auto words = after("-Wl,", option)) {
            for_each_part(*words, [this](std::string_view word) { read_linker_words(word); });
        } else if (const auto target = after("--target=", option)) {
            read_pair("-target", *target);
        } else {
            return false;
        }
        return true;
    }

    void read_pair(std::string_view option, std::string_view value) {
        if (option == "-x" || option == "--language") {
            language_ = value == "none" ? std::string_view() : value;
        } else if (option == "-l") {
            found_.has_objects = true;
            if (value == "c") names_c_library_ = true;
        } else if (option == "-target") {
            found_.is_foreign = !is_own_target(value);
        } else if (option == "-Xlinker" || option == "--for-linker" || option == "--linker-option") {
            read_linker_words(value);
        }
    }

    void read_setting(std::string_view option) {
        if (const auto linker = after("-fuse-ld=", option)) {
            found_.linker = linker->substr(linker->rfind('/') + 1);
        } else if (const auto path = after("--ld-path=", option)) {
            found_.linker = path->substr(path->rfind('/') + 1);
        } else if (const auto added = after("-fsanitize=", option)) {
            for_each_part(*added, [this](std::string_view name) { found_.sanitizers.emplace(name); });
        } else if (const auto removed = after("-fno-sanitize=", option)) {
            for_each_part(*removed, [this](std::string_view name) { remove_sanitizer(name); });
        } else if (option == "-fmemory-profile" || option.starts_with("-fmemory-profile=")) {
            found_.sanitizers.emplace("memory-profile");
        } else if (option == "-r" || option == "--relocatable") {
            found_.is_relocatable = true;
        } else if (option == "-shared" || option == "--shared") {
            found_.is_shared = true;
        } else if (!read_link_time_optimisation(option) && !read_optimisation(option)) {
            read_surroundings(option);
        }
    }

    void remove_sanitizer(std::string_view name) {
        if (name == "all") {
            found_.sanitizers.clear();
        } else if (const auto place = found_.sanitizers.find(name); place != found_.sanitizers.end()) {
            found_.sanitizers.erase(place);
        }
    }

    bool read_link_time_optimisation(std::string_view option) {
        if (option == "-fno-lto") {
            found_.link_time_optimisation = "none";
        } else if (option == "-flto=thin") {
            found_.link_time_optimisation = "thin";
        } else if (option == "-flto" || option.starts_with("-flto=")) {
            found_.link_time_optimisation = "full";
        } else {
            return false;
        }
        return true;
    }

    bool read_optimisation(std::string_view option) {
        const auto level = after("-O", option);
        if (!level || option.starts_with("-ObjC")) return false;
        found_.optimisation = *level == "0" ? Optimisation::none : Optimisation::some;
        return true;
    }

    void read_surroundings(std::string_view option) {
        if (option == "-m32" || option == "-mx32" || option == "-m16" ||
            option.starts_with("-fopenmp-targets=") || option.starts_with("--offload-arch=")) {
            found_.is_foreign = true;
        } else if (option == "-nodefaultlibs" || option == "-nolibc") {
            lacks_libraries_ = true;
        } else if (option == "-nostartfiles") {
            lacks_start_files_ = true;
        } else if (option == "-nostdlib") {
            lacks_libraries_ = lacks_start_files_ = true;
        }
    }

    // To clang these are inputs: -Wl,--version alone asks the linker. The linker reads words in files too.
    void read_linker_words(std::string_view word) {
        found_.has_objects = true;
        for (const std::string& each : expanded({std::string(word)})) read_linker_word(each);
    }

    void read_linker_word(std::string_view word) {
        if (word == "-r" || word == "-i" || word == "--relocatable") found_.is_relocatable = true;
        if (word == "-shared" || word == "--shared" || word == "-Bshareable") found_.is_shared = true;
        const bool wraps = follows_wrap_ || word.starts_with("--wrap=") || word.starts_with("-wrap=");
        found_.wraps_functions = found_.wraps_functions || wraps;
        follows_wrap_ = word == "--wrap" || word == "-wrap";
    }

    const Arguments& arguments_;
    size_t at_ = 0;
    Invocation found_;
    std::string_view language_;
    bool only_inputs_ = false;
    bool follows_wrap_ = false;  ///< the linker's word before this one wants a name
    bool lacks_libraries_ = false;
    bool names_c_library_ = false;  ///< -lc: libtool leaves out clang's libraries, and names them all
    bool lacks_start_files_ = false;
    bool names_start_file_ = false;  ///< the one that the end of a shared library needs
};

}  // namespace

Invocation read_invocation(const Arguments& arguments) {
    return Reader(arguments).read();
}

}  // namespace malloom::driver
