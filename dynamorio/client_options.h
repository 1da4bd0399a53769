// Arguments of a DynamoRIO client, "name=number" each. Knows nothing of DynamoRIO.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace malloom::dynamorio {

/// An option by its name, and the field that holds it.
template <class Options>
struct ClientOption {
    const char* name;
    uint64_t Options::* field;
};

/// Reads decimal digits up to the end of the text. False, with any value, where it is no number of 64 bits.
inline bool parse_number(const char* digit, uint64_t& value) {
    bool is_number = *digit != '\0';
    for (value = 0; *digit != '\0'; ++digit) {
        is_number = is_number && *digit >= '0' && *digit <= '9' &&
                    !__builtin_mul_overflow(value, 10, &value) &&
                    !__builtin_add_overflow(value, *digit - '0', &value);
    }
    return is_number;
}

/// Sets the field of the option that the argument names. False where there is none, or where it is no number.
template <class Options, size_t count>
bool parse_option(const char* argument, const ClientOption<Options> (&known)[count], Options& options) {
    for (const ClientOption<Options>& option : known) {
        const size_t length = strlen(option.name);
        if (strncmp(argument, option.name, length) != 0 || argument[length] != '=') continue;
        return parse_number(argument + length + 1, options.*option.field);
    }
    return false;
}

}  // namespace malloom::dynamorio
