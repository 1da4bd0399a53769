// What the user asked of malloom, from one environment variable.
#pragma once

#include <stddef.h>
#include <string.h>

namespace malloom::platform {

/// The settings in the variable MALLOOM: "name=value,name=value". A value that begins with / is a path and
/// goes on to the end, commas and all, so it comes last; any value may say its bytes before it, as in
/// "name=5:/a,bc". One variable for the recorder and the run time alike: a program that copies its
/// environment then makes as many requests under either, and the ordinals of its contexts stay. Holds a copy,
/// because programs overwrite their environment. Not thread-safe; never allocates.
class Settings {
  public:
    /// What stands between two commas.
    struct Part {
        const char* text;   ///< ends with a 0
        size_t name_bytes;  ///< how much of it is the name
        bool is_setting;    ///< it has a name and a value
    };

    /// Longer texts are ignored as a whole: there is room for two paths and the rest.
    static constexpr size_t longest = 2 * 4096 + 512 - 1;

    /// `text` may be null: no settings.
    explicit Settings(const char* text);

    /// What the setting was given, owned by this object, or nullptr.
    const char* value(const char* name) const;

    /// Calls visit(Part) for each part that is not empty, in their order.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (size_t part = 0; part < length_; part += strlen(text_ + part) + 1) {
            if (text_[part] != '\0') {
                visit(part_at(text_ + part));
            }
        }
    }

    /// Bytes of the text, where it is longer than `longest`; else 0.
    size_t bytes_ignored() const { return bytes_ignored_; }

  private:
    static Part part_at(const char* text);

    size_t length_ = 0;
    size_t bytes_ignored_ = 0;
    char text_[longest + 1];  // the settings, each with a 0 at its end
};

}  // namespace malloom::platform
