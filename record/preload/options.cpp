#include "record/preload/options.h"

#include <string.h>

#include "runtime/context/call_chain.h"
#include "runtime/platform/environment.h"
#include "runtime/platform/settings.h"

namespace malloom::record {

namespace {

char profile_path[4096];

// A copy: the program may change its environment.
const char* keep_path(const char* path) {
    if (path == nullptr || *path != '/' || strlen(path) >= sizeof profile_path) return nullptr;
    strcpy(profile_path, path);
    return profile_path;
}

}  // namespace

Options read_options() {
    Options options;
    const platform::Settings settings(platform::environment_value("MALLOOM"));
    options.profile = keep_path(settings.value("record"));
#define OPTION(field, name, otherwise, meaning) \
    options.field = platform::decimal_value(settings.value(#name), otherwise);
#include "record/preload/options.def"
#undef OPTION
    if (options.depth < 1 || options.depth > context::max_depth) options.depth = Options{}.depth;
    return options;
}

}  // namespace malloom::record
