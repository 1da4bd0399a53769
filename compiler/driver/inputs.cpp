#include "compiler/driver/inputs.h"

#include <algorithm>
#include <iterator>

namespace malloom::driver {

namespace {

constexpr std::string_view code_endings[] = {"c",   "i",  "cc", "cp",  "cxx",  "cpp", "CPP",  "c++",  "C",
                                             "CXX", "ii", "m",  "mi",  "mm",   "M",   "mii",  "s",    "S",
                                             "asm", "sx", "ll", "bc",  "cppm", "ccm", "cxxm", "c++m", "ixx",
                                             "iim", "f",  "F",  "for", "f90",  "F90"};
constexpr std::string_view header_endings[] = {"h", "H", "hh", "hp", "hpp", "HPP", "hxx", "h++", "tcc"};
constexpr std::string_view kernel_endings[] = {"cu", "cui", "hip", "hipi", "cl", "clcpp"};
constexpr std::string_view kernel_languages[] = {"cuda", "hip", "cl", "clcpp", "renderscript"};

template <size_t count>
bool is_among(const std::string_view (&words)[count], std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

InputKind by_language(std::string_view language) {
    if (language.ends_with("-header")) return InputKind::header;
    for (const std::string_view kernel : kernel_languages) {
        if (language.starts_with(kernel)) return InputKind::kernel;
    }
    return InputKind::code;
}

std::string_view ending_of(std::string_view path) {
    const size_t name = path.rfind('/') + 1;
    const size_t dot = path.find_last_of('.');
    return dot == std::string_view::npos || dot < name ? std::string_view() : path.substr(dot + 1);
}

}  // namespace

InputKind input_kind(std::string_view path, std::string_view language) {
    if (!language.empty()) return by_language(language);
    const std::string_view ending = ending_of(path);
    if (is_among(code_endings, ending)) return InputKind::code;
    if (is_among(header_endings, ending)) return InputKind::header;
    if (is_among(kernel_endings, ending)) return InputKind::kernel;
    return InputKind::object;
}

}  // namespace malloom::driver
