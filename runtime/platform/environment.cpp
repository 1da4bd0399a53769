#include "runtime/platform/environment.h"

#include <string.h>
#include <unistd.h>

namespace malloom::platform {

const char* environment_value(const char* name) {
    if (environ == nullptr) {
        return nullptr;
    }
    const size_t length = strlen(name);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
            return *entry + length + 1;
        }
    }
    return nullptr;
}

bool equals(const char* text, const char* expected) {
    return text != nullptr && strcmp(text, expected) == 0;
}

uint64_t decimal_value(const char* text, uint64_t otherwise) {
    if (text == nullptr || *text == '\0') {
        return otherwise;
    }
    uint64_t value = 0;
    for (; *text != '\0'; ++text) {
        const unsigned digit = static_cast<unsigned>(*text - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return otherwise;
        }
        value = value * 10 + digit;
    }
    return value;
}

}  // namespace malloom::platform
