#include "record/preload/options.h"

#include <string.h>

#include <iterator>

#include "runtime/context/call_chain.h"
#include "runtime/front/settings_check.h"
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

// In the order of AccessMode.
constexpr const char* access_modes[] = {"none", "annotated", "full", "sampled"};

AccessMode mode_of(const char* word) {
    for (uint8_t mode = 0; word != nullptr && mode < std::size(access_modes); ++mode) {
        if (strcmp(access_modes[mode], word) == 0) return static_cast<AccessMode>(mode);
    }
    return AccessMode::none;
}

}  // namespace

const char* name_of(AccessMode mode) {
    return access_modes[static_cast<uint8_t>(mode)];
}

Options read_options() {
    Options options;
    const platform::Settings settings(platform::environment_value("MALLOOM"));
    front::complain_of_settings(settings);
    options.profile = keep_path(settings.value("record"));
    options.accesses = mode_of(settings.value("accesses"));
#define OPTION(field, name, otherwise, meaning) \
    options.field = platform::decimal_value(settings.value(#name), otherwise);
#include "record/preload/options.def"
#undef OPTION
    if (options.depth < 1 || options.depth > context::max_depth) options.depth = Options{}.depth;
    return options;
}

}  // namespace malloom::record
