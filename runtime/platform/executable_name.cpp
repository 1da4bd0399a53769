#include "runtime/platform/executable_name.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace malloom::platform {

void ExecutableName::find() {
    const int error = errno;
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        const char* last = strrchr(path, '/');
        const char* name = last != nullptr ? last + 1 : path;
        if (strlen(name) < sizeof text) {
            strcpy(text, name);
        }
    }
    errno = error;
}

}  // namespace malloom::platform
