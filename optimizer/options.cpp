#include "optimizer/options.h"

#include "record/dynamorio/client_options.h"

namespace malloom::optimizer {

namespace {

bool take(const char* argument, Options& options) {
#define CLIENT_OPTION(name, default_value, meaning) \
    if (accesses::take_option(argument, #name, options.name)) return true;
#include "optimizer/options.def"
#undef CLIENT_OPTION
    return false;
}

}  // namespace

Options parse_options(int count, const char** arguments) {
    return accesses::parse_client_options(count, arguments, "the optimiser", take);
}

}  // namespace malloom::optimizer
