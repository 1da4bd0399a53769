// Arguments of a DynamoRIO client, "name=value" each: what malloom's clients share in reading them.
#pragma once

#include <stdint.h>

namespace malloom::accesses {

/// Whether the argument gives `name` a number; it is in `value` then.
bool take_option(const char* argument, const char* name, uint64_t& value);

/// Ends the program with one line on stderr: the client of that name has no such option.
void refuse_option(const char* client, const char* argument);

/// The options that the arguments give, the first of which is the client's own name. `take` takes one.
template <class Options>
Options parse_client_options(int count, const char** arguments, const char* client,
                             bool (*take)(const char* argument, Options& options)) {
    Options options;
    for (int i = 1; i < count; ++i) {
        if (!take(arguments[i], options)) refuse_option(client, arguments[i]);
    }
    return options;
}

}  // namespace malloom::accesses
