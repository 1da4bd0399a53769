#include "record/dynamorio/client_options.h"

#include <dr_api.h>
#include <stdlib.h>
#include <string.h>

namespace malloom::accesses {

bool take_option(const char* argument, const char* name, uint64_t& value) {
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
    char* end;
    value = strtoull(argument + length + 1, &end, 10);
    return end != argument + length + 1 && *end == '\0';
}

void refuse_option(const char* client, const char* argument) {
    dr_fprintf(STDERR, "malloom: %s has no option %s\n", client, argument);
    dr_exit_process(2);
}

}  // namespace malloom::accesses
