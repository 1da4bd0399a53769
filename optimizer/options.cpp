#include "optimizer/options.h"

#include <dr_api.h>
#include <stdlib.h>
#include <string.h>

namespace malloom::optimizer {

namespace {

bool take(const char* argument, const char* name, uint64_t& value) {
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
    char* end;
    value = strtoull(argument + length + 1, &end, 10);
    return end != argument + length + 1 && *end == '\0';
}

bool take_any(const char* argument, Options& options) {
#define CLIENT_OPTION(name, default_value, meaning) \
    if (take(argument, #name, options.name)) return true;
#include "optimizer/options.def"
#undef CLIENT_OPTION
    return false;
}

}  // namespace

Options parse_options(int count, const char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        if (take_any(arguments[i], options)) continue;
        dr_fprintf(STDERR, "malloom: the optimiser has no option %s\n", arguments[i]);
        dr_exit_process(2);
    }
    return options;
}

}  // namespace malloom::optimizer
