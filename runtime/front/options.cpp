#include "runtime/front/options.h"

#include <string.h>
#include <unistd.h>

#include "runtime/front/process_heaps.h"
#include "runtime/front/settings_check.h"
#include "runtime/platform/environment.h"
#include "runtime/platform/output.h"

namespace malloom::front {

using platform::equals;

namespace {

// A region heap goes by its name in the list.
constexpr char heap_names[] = "plan|pools|fallback"
#define KNOWN_HEAP(type, name)
#define HEAP(type, name) "|" #name
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    ;
#define HEAP_NAMES heap_names

constexpr size_t most_digits_of_time = 9;
constexpr size_t most_digits_of_memory = 18;

uint64_t number(const char* digits) {
    uint64_t value = 0;
    for (const char* digit = digits; *digit != '\0'; ++digit) {
        value = 10 * value + static_cast<uint64_t>(*digit - '0');
    }
    return value;
}

// `values` lists what is allowed, separated by bars, or names what kind of value it is.
bool is_allowed(const char* value, const char* values) {
    const size_t length = strlen(value);
    const size_t most_digits = equals(values, "milliseconds") ? most_digits_of_time
                               : equals(values, "bytes")      ? most_digits_of_memory
                                                              : 0;
    if (most_digits != 0) {
        return length <= most_digits && strspn(value, "0123456789") == length;
    }
    const char* word = values;
    do {
        word += *word == '|';
        const char* end = strchrnul(word, '|');
        if (static_cast<size_t>(end - word) == length && memcmp(word, value, length) == 0) {
            return true;
        }
        word = strchr(word, '|');
    } while (word != nullptr);
    return strchr(values, '|') == nullptr;
}

void read_option(const char*& field, const char* name, const char* value, const char* values) {
    if (value == nullptr || *value == '\0') {
        return;
    }
    if (is_allowed(value, values)) {
        field = value;
        return;
    }
    platform::Line line;
    line.text("malloom: MALLOOM=")
        .text(name)
        .text("=")
        .foreign(value, strlen(value))
        .text(" is ignored; it can be ")
        .text(values);
    line.write_to(STDERR_FILENO);
}

}  // namespace

bool Options::plan_is_wanted() const {
    return plan != nullptr && (heap == nullptr || equals(heap, "plan") || pools_are_wanted());
}
bool Options::pools_are_wanted() const {
    return equals(heap, "pools");
}
bool Options::system_is_wanted(bool plan_says) const {
    return fallback == nullptr ? plan_says : equals(fallback, "system");
}
bool Options::fallback_huge_pages_are_wanted(bool plan_says) const {
    return fallback_huge_pages == nullptr ? plan_says : equals(fallback_huge_pages, "1");
}
long Options::purge_delay_wanted(uint64_t plan_says) const {
    if (purge_delay == nullptr) {
        constexpr uint64_t most = 1'000'000'000;
        return static_cast<long>(plan_says < most ? plan_says : most) + heaps::MimallocTuning::usual_delay;
    }
    return static_cast<long>(number(purge_delay));
}
size_t Options::fallback_bytes_wanted() const {
    return fallback_up_to == nullptr ? 0 : number(fallback_up_to);
}
bool Options::statistics_are_wanted() const {
    return equals(statistics, "1") || statistics_are_json();
}
bool Options::statistics_are_json() const {
    return equals(statistics, "json");
}
bool Options::guards_are_wanted() const {
    return equals(guards, "1") && !plan_is_wanted() && save_plan == nullptr &&
           (heap == nullptr || equals(heap, "fallback") || pools_are_wanted());
}
bool Options::preallocation_is_wanted(bool plan_says) const {
    return preallocate == nullptr ? plan_says : equals(preallocate, "1");
}
bool Options::huge_pages_are_wanted(bool plan_says) const {
    return huge_pages == nullptr ? plan_says : equals(huge_pages, "1");
}
bool Options::packing_is_wanted(bool plan_says) const {
    return packed == nullptr ? plan_says : equals(packed, "1");
}
bool Options::pools_are_wanted_in_mimalloc(bool plan_says) const {
    return pools_in_mimalloc == nullptr ? plan_says : equals(pools_in_mimalloc, "1");
}
bool Options::tokens_are_wanted(bool plan_says) const {
    return tokens == nullptr ? plan_says : equals(tokens, "1");
}
bool Options::colocation_is_wanted() const {
    return equals(colocate, "1");
}
bool Options::prefetches_are_wanted() const {
    return !equals(prefetch, "0");
}

Options read_options(const platform::Settings& settings) {
    complain_of_settings(settings);
    Options options;
#define OPTION(name, values, meaning) read_option(options.name, #name, settings.value(#name), values);
#include "runtime/front/options.def"
#undef OPTION
    return options;
}

}  // namespace malloom::front
