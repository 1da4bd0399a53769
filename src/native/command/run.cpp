#include "src/native/command/run.h"

#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/native/command/allocator.h"
#include "src/native/command/arguments.h"
#include "src/native/command/environment.h"
#include "src/native/command/installation.h"
#include "src/native/command/plan.h"
#include "src/native/command/program.h"
#include "src/native/command/saved_plan.h"

namespace malloom::command {

namespace {

/// With which heap the program runs; none where the options contradict each other.
std::optional<Heap> chosen_heap(const Arguments& arguments, const std::optional<OpenedPlan>& plan) {
    if (!arguments.heap) return plan ? plan->record.heap : Heap::fallback;
    const Heap heap = *arguments.heap;
    const bool needs_no_plan = heap == Heap::bins || heap == Heap::pages;
    if ((needs_no_plan && plan) || (heap == Heap::plan && !plan)) return std::nullopt;
    return heap;
}

const char* statistics_wanted(const Arguments& arguments) {
    return arguments.json ? "json" : arguments.statistics ? "1" : "";
}

/// False where an option means nothing with that heap, or the plan cannot be saved.
bool add_settings(const Arguments& arguments, const std::optional<OpenedPlan>& plan, Heap heap,
                  SettingsText& settings) {
    settings.add("heap", name_of(heap));
    if (arguments.fallback) settings.add("fallback", name_of(*arguments.fallback));
    if (plan) settings.add("plan", plan->path);
    const std::string statistics = statistics_wanted(arguments);
    if (!statistics.empty()) settings.add("statistics", statistics);
    if (arguments.preallocate) settings.add("preallocate", *arguments.preallocate ? "1" : "0");
    if (arguments.save_plan != nullptr) {
        const std::optional<std::string> saved = saved_plan(arguments.save_plan);
        if (!saved || heap != Heap::pools) return false;
        settings.add("save_plan", *saved);
        settings.add("save_process", std::to_string(getpid()));
    }
    if (arguments.huge_pages) settings.add_first("huge_pages", *arguments.huge_pages);
    if (arguments.packed) settings.add_first("packed", *arguments.packed);
    if (arguments.pools_in_mimalloc) settings.add_first("pools_in_mimalloc", *arguments.pools_in_mimalloc);
    if (arguments.tokens) settings.add_first("tokens", *arguments.tokens);
    if (arguments.colocate) settings.add_first("colocate", *arguments.colocate);
    if (arguments.fallback_huge_pages) {
        settings.add_first("fallback_huge_pages", *arguments.fallback_huge_pages);
    }
    if (arguments.purge_delay) {
        settings.add_first("purge_delay", std::string_view(std::to_string(*arguments.purge_delay)));
    }
    if (!arguments.prefetch) settings.add_first("prefetch", false);
    return !arguments.colocate || heap == Heap::pools;
}

/// What a program runs with. The allocator's variables are to be shown too.
struct Prepared {
    Environment environment;
    std::vector<std::string> names;
};

/// As with_trust of src/malloom/settings.py: what the run time is told over a general allocator.
std::string trusting(SettingsText settings, bool needs_run_time, const NamedAllocator& allocator) {
    if (allocator.up_to == 0) return needs_run_time ? settings.text() : "";
    if (!needs_run_time) {
        settings = SettingsText();
        settings.add("heap", name_of(Heap::fallback));
        settings.add("fallback", name_of(Fallback::system));
    }
    const bool is_told = (',' + settings.text()).find(",fallback_huge_pages=") != std::string::npos;
    if (allocator.huge_beyond && !is_told) settings.add_first("fallback_huge_pages", true);
    settings.add_first("fallback_up_to", std::string_view(std::to_string(allocator.up_to)));
    return settings.text();
}

/// Under a general allocator, and where `settings` has something under the run time before that.
bool put_over(const NamedAllocator& allocator, const std::string& settings, const std::string& run_time,
              Prepared& prepared) {
    for (const auto& [name, value] : allocator.variables) {
        prepared.environment.set(name, value);
        prepared.names.push_back(name);
    }
    if (!settings.empty()) prepared.environment.set(settings_variable, settings);
    return prepared.environment.preload(allocator.library, run_time) &&
           (settings.empty() || prepared.environment.preload(run_time, run_time));
}

/// False where Python has to say something.
bool prepare(const Arguments& arguments, Prepared& prepared) {
    std::optional<OpenedPlan> plan;
    if (arguments.plan != nullptr) {
        plan = open_plan(arguments.plan);
        if (!plan) return false;
    }
    const std::optional<Heap> heap = chosen_heap(arguments, plan);
    const std::string run_time = run_time_library();
    SettingsText settings;
    if (run_time.empty() || !heap || !add_settings(arguments, plan, *heap, settings)) return false;
    const bool needs_run_time = *statistics_wanted(arguments) != '\0' || !plan || *heap != Heap::plan ||
                                !plan->says_nothing || arguments.fallback_huge_pages || arguments.purge_delay;
    // A plan's own choice counts where the user makes none.
    if (plan && plan->record.has_allocator && !arguments.fallback) {
        const std::optional<NamedAllocator> allocator =
            plan->record.allocator ? found_allocator(*plan->record.allocator) : std::nullopt;
        return allocator &&
               put_over(*allocator, trusting(settings, needs_run_time, *allocator), run_time, prepared);
    }
    const Fallback fallback = arguments.fallback.value_or(plan ? plan->fallback : Fallback::mimalloc);
    if (!needs_run_time) {  // nor the plan, which has nothing to say
        if (fallback == Fallback::system) return prepared.environment.preload("", run_time);
        settings = SettingsText();
        settings.add("heap", name_of(Heap::fallback));
    }
    prepared.environment.set(settings_variable, settings.text());
    return prepared.environment.preload(run_time, run_time);
}

/// As Python's shlex.quote.
std::string quoted(std::string_view text) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    std::string quoted = "'";
    for (const char letter : text) quoted += letter == '\'' ? "'\"'\"'" : std::string(1, letter);
    return quoted + "'";
}

/// False where nobody takes it, which Python says.
bool print(const std::string& text) {
    // Python lets nobody who has seen enough end it by a signal.
    signal(SIGPIPE, SIG_IGN);
    return write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool show(const Prepared& prepared) {
    std::string text;
    std::vector<std::string> names = prepared.names;
    for (const std::string_view name : {preload_variable, settings_variable}) names.emplace_back(name);
    for (const std::string& name : names) {
        if (const std::optional<std::string_view> value = prepared.environment.value(name)) {
            text += name + "=" + quoted(*value) + "\n";
        }
    }
    return print(text.empty() ? "\n" : text);
}

}  // namespace

int run(char** words, char** environment) {
    const std::optional<Arguments> arguments = read_arguments(words);
    if (!arguments) return for_python;
    std::optional<Program> program;
    if (arguments->command != nullptr) {
        program = find_reachable(arguments->command[0]);
        if (!program) return for_python;
    }
    Prepared prepared = {Environment(environment), {}};
    if (prepared.environment.had_settings_of_user() || !prepare(*arguments, prepared)) {
        return for_python;
    }
    if (arguments->print_environment) return show(prepared) ? 0 : for_python;
    if (program) execve(program->path.c_str(), arguments->command, prepared.environment.words().data());
    return for_python;
}

}  // namespace malloom::command
