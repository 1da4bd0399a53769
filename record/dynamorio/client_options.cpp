#include "record/dynamorio/client_options.h"

#include <dr_api.h>
#include <string.h>

namespace malloom::accesses {

bool take_option(const char* argument, const char* name, uint64_t& value) {
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
    const char* digit = argument + length + 1;
    bool is_number = *digit != '\0';
    for (value = 0; *digit != '\0'; ++digit) {
        is_number = is_number && *digit >= '0' && *digit <= '9' &&
                    !__builtin_mul_overflow(value, 10, &value) &&
                    !__builtin_add_overflow(value, *digit - '0', &value);
    }
    return is_number;
}

void refuse_option(const char* client, const char* argument) {
    dr_fprintf(STDERR, "malloom: %s has no option %s\n", client, argument);
    dr_exit_process(2);
}

}  // namespace malloom::accesses
