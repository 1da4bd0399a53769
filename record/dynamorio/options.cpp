#include "record/dynamorio/options.h"

#include "record/dynamorio/client_options.h"

namespace malloom::accesses {

namespace {

bool take(const char* argument, Options& options) {
#define CLIENT_OPTION(name, default_value, meaning) \
    if (take_option(argument, #name, options.name)) return true;
#include "record/dynamorio/options.def"
#undef CLIENT_OPTION
    return false;
}

}  // namespace

Options parse_options(int count, const char** arguments) {
    return parse_client_options(count, arguments, "the recorder of accesses", take);
}

}  // namespace malloom::accesses
