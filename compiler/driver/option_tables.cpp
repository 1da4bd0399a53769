#include "compiler/driver/option_tables.h"

#include <algorithm>
#include <iterator>

namespace malloom::driver {

namespace {

// Of those that may be joined with their value (-Ifolder), the ones that are not.
constexpr std::string_view options_before_values[] = {"--analyzer-output",
                                                      "--define-macro",
                                                      "--for-linker",
                                                      "--force-link",
                                                      "--imacros",
                                                      "--include",
                                                      "--include-directory",
                                                      "--include-directory-after",
                                                      "--language",
                                                      "--library-directory",
                                                      "--linker-option",
                                                      "--output",
                                                      "--param",
                                                      "--serialize-diagnostics",
                                                      "--sysroot",
                                                      "--undefine-macro",
                                                      "--vfsoverlay",
                                                      "-A",
                                                      "-B",
                                                      "-D",
                                                      "-F",
                                                      "-G",
                                                      "-I",
                                                      "-L",
                                                      "-MF",
                                                      "-MJ",
                                                      "-MQ",
                                                      "-MT",
                                                      "-T",
                                                      "-U",
                                                      "-Xanalyzer",
                                                      "-Xarch_device",
                                                      "-Xarch_host",
                                                      "-Xassembler",
                                                      "-Xclang",
                                                      "-Xcuda-fatbinary",
                                                      "-Xcuda-ptxas",
                                                      "-Xlinker",
                                                      "-Xoffload-linker",
                                                      "-Xopenmp-target",
                                                      "-Xpreprocessor",
                                                      "-arch",
                                                      "-b",
                                                      "-bundle_loader",
                                                      "-ccc-gcc-name",
                                                      "-ccc-install-dir",
                                                      "-cxx-isystem",
                                                      "-dependency-dot",
                                                      "-dependency-file",
                                                      "-dumpdir",
                                                      "-e",
                                                      "-fdebug-compilation-dir",
                                                      "-filelist",
                                                      "-fmodules-user-build-path",
                                                      "-framework",
                                                      "-ftrapv-handler",
                                                      "-gen-cdb-fragment-path",
                                                      "-iapinotes-modules",
                                                      "-idirafter",
                                                      "-iframework",
                                                      "-iframeworkwithsysroot",
                                                      "-imacros",
                                                      "-imultilib",
                                                      "-include",
                                                      "-include-pch",
                                                      "-iprefix",
                                                      "-iquote",
                                                      "-isysroot",
                                                      "-isystem",
                                                      "-isystem-after",
                                                      "-ivfsoverlay",
                                                      "-iwithprefix",
                                                      "-iwithprefixbefore",
                                                      "-iwithsysroot",
                                                      "-l",
                                                      "-meabi",
                                                      "-mllvm",
                                                      "-mmlir",
                                                      "-module-dependency-dir",
                                                      "-mthread-model",
                                                      "-o",
                                                      "-resource-dir",
                                                      "-rpath",
                                                      "-serialize-diagnostics",
                                                      "-stdlib++-isystem",
                                                      "-target",
                                                      "-u",
                                                      "-undefined",
                                                      "-vfsoverlay",
                                                      "-working-directory",
                                                      "-x",
                                                      "-z"};

constexpr std::string_view ends[] = {"--analyze",
                                     "--assemble",
                                     "--dependencies",
                                     "--migrate",
                                     "--precompile",
                                     "--preprocess",
                                     "--user-dependencies",
                                     "-###",
                                     "-E",
                                     "-M",
                                     "-MM",
                                     "-S",
                                     "-emit-ast",
                                     "-emit-interface-stubs",
                                     "-emit-llvm",
                                     "-emit-merged-ifs",
                                     "-extract-api",
                                     "-fdriver-only",
                                     "-fmodule-header",
                                     "-fsyntax-only",
                                     "-module-file-info",
                                     "-rewrite-legacy-objc",
                                     "-rewrite-objc",
                                     "-verify-pch"};

constexpr std::string_view questions[] = {"--help",       "--help-hidden", "--version",
                                          "-cc1",         "-cc1as",        "-cc1gen-reproducer",
                                          "-dumpmachine", "-dumpversion",  "-help"};

template <size_t count>
bool is_among(const std::string_view (&words)[count], std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

}  // namespace

bool takes_next(std::string_view option) {
    return is_among(options_before_values, option);
}

bool ends_before_object(std::string_view option) {
    return is_among(ends, option) || option.starts_with("-fmodule-header=");
}

bool is_question(std::string_view option) {
    return is_among(questions, option) || option.starts_with("-print-") || option.starts_with("--print-");
}

}  // namespace malloom::driver
