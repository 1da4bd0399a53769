#include "runtime/front/settings_check.h"

#include <string.h>
#include <unistd.h>

#include "runtime/platform/output.h"

namespace malloom::front {

using platform::Settings;

namespace {

// All that the variable may hold: the recorder's (record/preload/options.def) are at the end.
constexpr const char* known_settings[] = {
#define OPTION(name, values, meaning) #name,
#include "runtime/front/options.def"
#undef OPTION
    "record", "depth", "max_size", "windows", "accesses"};

bool is_known(const Settings::Part& part) {
    for (const char* known : known_settings) {
        if (strlen(known) == part.name_bytes && memcmp(known, part.text, part.name_bytes) == 0) {
            return true;
        }
    }
    return false;
}

// Whether an earlier part sets the same.
bool is_repeated(const Settings& settings, const Settings::Part& part) {
    bool is_found = false;
    settings.for_each([&](const Settings::Part& earlier) {
        is_found = is_found || (earlier.text < part.text && earlier.is_setting &&
                                strncmp(earlier.text, part.text, part.name_bytes + 1) == 0);
    });
    return is_found;
}

// A line that names things, written if there are any.
class Complaint {
  public:
    explicit Complaint(const char* beginning) { line_.text(beginning); }

    void name(const char* text, size_t length) {
        line_.text(is_empty_ ? " '" : ", '").foreign(text, length).text("'");
        is_empty_ = false;
    }
    platform::Line& end(const char* words) { return line_.text(words); }
    void write() {
        if (!is_empty_) {
            line_.write_to(STDERR_FILENO);
        }
    }

  private:
    platform::Line line_;
    bool is_empty_ = true;
};

void complain_of_length(const Settings& settings) {
    platform::Line line;
    line.text("malloom: MALLOOM is ignored: it has ").number(settings.bytes_ignored());
    line.text(" bytes, and ").number(Settings::longest).text(" are the most").write_to(STDERR_FILENO);
}

}  // namespace

void complain_of_settings(const Settings& settings) {
    Complaint incomplete("malloom: in MALLOOM is ignored");
    Complaint unknown("malloom: there is no setting");
    Complaint repeated("malloom: MALLOOM sets more than once");
    settings.for_each([&](const Settings::Part& part) {
        if (!part.is_setting) {
            incomplete.name(part.text, strlen(part.text));
        } else if (!is_known(part)) {
            unknown.name(part.text, part.name_bytes);
        } else if (is_repeated(settings, part)) {
            repeated.name(part.text, part.name_bytes);
        }
    });
    incomplete.end("; a setting is NAME=VALUE");
    unknown.end("; MALLOOM can have");
    for (const char* known : known_settings) {
        unknown.end(" ").text(known);
    }
    repeated.end("; the first counts");
    incomplete.write();
    unknown.write();
    repeated.write();
    if (settings.bytes_ignored() != 0) {
        complain_of_length(settings);
    }
}

}  // namespace malloom::front
