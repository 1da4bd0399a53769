// The environment in which the loader brings a library of malloom into a program, as
// src/malloom/launch/preloading.py makes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace malloom::command {

class Environment {
  public:
    /// That which malloom was started with, without settings of an outer malloom. `words` end with a null.
    explicit Environment(char** words);

    /// Whether a user has set the variable of the settings by hand, which is to be said.
    bool had_settings_of_user() const;

    /// The value of a variable; none where it is not set.
    std::optional<std::string_view> value(std::string_view name) const;
    void set(std::string_view name, std::string_view value);
    void remove(std::string_view name);

    /// Puts a library, where its name is not empty, before those that are preloaded, but for `run_time`,
    /// which an outer malloom has put there. False where the loader cannot take that name.
    bool preload(std::string_view library, std::string_view run_time);

    /// For exec, ended by a null. They are this object's, until it changes.
    std::vector<char*> words();

  private:
    std::vector<std::string>::iterator find(std::string_view name);

    std::vector<std::string> variables_;
    std::string outer_settings_;
};

/// The names of the variables that malloom sets.
inline constexpr std::string_view settings_variable = "MALLOOM";
inline constexpr std::string_view preload_variable = "LD_PRELOAD";

/// As src/malloom/settings.py writes them: a path comes last, and others say their length.
class SettingsText {
  public:
    void add(std::string_view name, std::string_view value);
    /// Before all others.
    void add_first(std::string_view name, bool value);
    void add_first(std::string_view name, std::string_view value);
    std::string text() const;

  private:
    struct Setting {
        std::string name;
        std::string value;
    };

    std::string first_;
    std::vector<Setting> settings_;
};

}  // namespace malloom::command
