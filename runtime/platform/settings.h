// What the user asked of malloom, from one environment variable.
#pragma once

#include <stddef.h>
#include <string.h>

namespace malloom::platform {

/// The settings in the variable MALLOOM: "name=value,name=value". A value that begins with / is a path and
/// goes on to the end, commas and all, so it comes last; any value may say its bytes before it, as in
/// "name=5:/a,bc". One variable for the recorder and the run time
/// alike: a program that copies its environment then makes as many requests under either, and the ordinals of
/// its contexts stay. Holds a copy, because programs overwrite their environment. Not thread-safe; never
/// allocates.
class Settings {
  public:
    /// `text` may be null: no settings, and so it is with a text that is too long for two paths and the rest.
    explicit Settings(const char* text);

    /// What the setting was given, owned by this object, or nullptr.
    const char* value(const char* name) const;

    /// Calls visit(name, length) for each setting that has a name, in their order; the name ends without a 0.
    template <typename Visit>
    void for_each_name(Visit visit) const {
        for (size_t pair = 0; pair < length_; pair += strlen(text_ + pair) + 1) {
            if (const size_t length = strcspn(text_ + pair, "="); length != 0) {
                visit(text_ + pair, length);
            }
        }
    }

  private:
    static constexpr size_t capacity = 2 * 4096 + 512;  // two paths

    size_t length_ = 0;
    char text_[capacity];  // the pairs, each with a 0 at its end
};

}  // namespace malloom::platform
