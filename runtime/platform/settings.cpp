#include "runtime/platform/settings.h"

#include <string.h>

namespace malloom::platform {

namespace {

// Of a value that says its length: what stands before it; else 0.
size_t length_prefix(const char* value, size_t& length) {
    size_t digits = 0;
    for (length = 0; value[digits] >= '0' && value[digits] <= '9' && digits < 6; ++digits) {
        length = 10 * length + static_cast<size_t>(value[digits] - '0');
    }
    return digits != 0 && value[digits] == ':' ? digits + 1 : 0;
}

size_t smallest(size_t a, size_t b) {
    return a < b ? a : b;
}

// Length of the setting that `text` begins with.
size_t setting_length(const char* text) {
    const size_t name = strcspn(text, "=,");
    if (strncmp(text + name, "=/", 2) == 0) {
        return strlen(text);
    }
    size_t length = 0;
    const size_t prefix = text[name] == '=' ? length_prefix(text + name + 1, length) : 0;
    return prefix != 0 ? smallest(name + 1 + prefix + length, strlen(text)) : strcspn(text, ",");
}

}  // namespace

Settings::Settings(const char* text) {
    if (text == nullptr) {
        return;
    }
    if (strlen(text) > longest) {
        bytes_ignored_ = strlen(text);
        return;
    }
    length_ = strlen(text) + 1;
    memcpy(text_, text, length_);
    for (size_t setting = 0; setting < length_;) {
        setting += setting_length(text_ + setting);
        text_[setting++] = '\0';
    }
}

const char* Settings::value(const char* name) const {
    const size_t length = strlen(name);
    for (size_t setting = 0; setting < length_; setting += strlen(text_ + setting) + 1) {
        if (strncmp(text_ + setting, name, length) == 0 && text_[setting + length] == '=') {
            const char* value = text_ + setting + length + 1;
            size_t said = 0;
            return value + length_prefix(value, said);
        }
    }
    return nullptr;
}

Settings::Part Settings::part_at(const char* text) {
    const size_t name = strcspn(text, "=");
    size_t said = 0;
    const bool has_value = text[name] == '=' && text[name + 1 + length_prefix(text + name + 1, said)] != '\0';
    return {text, name, name != 0 && has_value};
}

}  // namespace malloom::platform
