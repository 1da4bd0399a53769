#include "src/native/command/environment.h"

#include <algorithm>

namespace malloom::command {

namespace {

bool is_of(std::string_view variable, std::string_view name) {
    return variable.size() > name.size() && variable[name.size()] == '=' && variable.starts_with(name);
}

bool is_path(std::string_view value) {
    return value.starts_with('/');
}

}  // namespace

Environment::Environment(char** words) {
    for (; *words != nullptr; ++words) {
        const std::string_view variable = *words;
        if (variable.find('=') != std::string_view::npos) variables_.emplace_back(variable);
    }
    outer_settings_ = value(settings_variable).value_or("");
    remove(settings_variable);
}

bool Environment::had_settings_of_user() const {
    const std::string_view preloaded = value(preload_variable).value_or("");
    return !outer_settings_.empty() && preloaded.find("libmalloom") == std::string_view::npos;
}

std::vector<std::string>::iterator Environment::find(std::string_view name) {
    return std::ranges::find_if(variables_, [name](const std::string& each) { return is_of(each, name); });
}

std::optional<std::string_view> Environment::value(std::string_view name) const {
    const auto found =
        std::ranges::find_if(variables_, [name](const std::string& each) { return is_of(each, name); });
    if (found == variables_.end()) return std::nullopt;
    return std::string_view(*found).substr(name.size() + 1);
}

void Environment::set(std::string_view name, std::string_view value) {
    std::string variable = std::string(name) + '=' + std::string(value);
    const auto found = find(name);
    if (found == variables_.end()) {
        variables_.push_back(std::move(variable));
    } else {
        *found = std::move(variable);
    }
}

void Environment::remove(std::string_view name) {
    std::erase_if(variables_, [name](const std::string& each) { return is_of(each, name); });
}

bool Environment::preload(std::string_view library, std::string_view run_time) {
    if (library.find_first_of(" :") != std::string_view::npos) return false;
    std::string libraries(library);
    const std::string others(value(preload_variable).value_or(""));
    constexpr const char* separators = " :\t\n\r\f\v";
    for (size_t at = 0; (at = others.find_first_not_of(separators, at)) != std::string::npos;) {
        const size_t end = std::min(others.find_first_of(separators, at), others.size());
        const std::string_view other = std::string_view(others).substr(at, end - at);
        at = end;
        if (other == library || other == run_time) continue;
        libraries += libraries.empty() ? "" : ":";
        libraries += other;
    }
    if (libraries.empty()) {
        remove(preload_variable);
    } else {
        set(preload_variable, libraries);
    }
    return true;
}

std::vector<char*> Environment::words() {
    std::vector<char*> words;
    words.reserve(variables_.size() + 1);
    for (std::string& variable : variables_) words.push_back(variable.data());
    words.push_back(nullptr);
    return words;
}

void SettingsText::add(std::string_view name, std::string_view value) {
    settings_.push_back({std::string(name), std::string(value)});
}

void SettingsText::add_first(std::string_view name, bool value) {
    add_first(name, std::string_view(value ? "1" : "0"));
}

void SettingsText::add_first(std::string_view name, std::string_view value) {
    first_ = std::string(name) + "=" + std::string(value) + "," + first_;
}

std::string SettingsText::text() const {
    std::vector<Setting> ordered = settings_;
    std::ranges::stable_partition(ordered, [](const Setting& each) { return !is_path(each.value); });
    std::string text = first_;
    for (const Setting& each : ordered) {
        const bool is_last = &each == &ordered.back();
        text += each.name + '=';
        if (is_path(each.value) && !is_last) text += std::to_string(each.value.size()) + ':';
        text += each.value + (is_last ? "" : ",");
    }
    return text;
}

}  // namespace malloom::command
