#include "runtime/platform/settings.h"

#include <string.h>

namespace malloom::platform {

namespace {

// Length of the pair that `text` begins with.
size_t pair_length(const char* text) {
    const size_t name = strcspn(text, "=,");
    return strncmp(text + name, "=/", 2) == 0 ? strlen(text) : strcspn(text, ",");
}

}  // namespace

Settings::Settings(const char* text) {
    if (text == nullptr || strlen(text) >= capacity) {
        return;
    }
    length_ = strlen(text) + 1;
    memcpy(text_, text, length_);
    for (size_t pair = 0; pair < length_;) {
        pair += pair_length(text_ + pair);
        text_[pair++] = '\0';
    }
}

const char* Settings::value(const char* name) const {
    const size_t length = strlen(name);
    for (size_t pair = 0; pair < length_; pair += strlen(text_ + pair) + 1) {
        if (strncmp(text_ + pair, name, length) == 0 && text_[pair + length] == '=') {
            return text_ + pair + length + 1;
        }
    }
    return nullptr;
}

}  // namespace malloom::platform
