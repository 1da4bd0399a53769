// What malloom's DynamoRIO clients have in common: how they begin, and what they ask of modules.
#pragma once

#include <dr_api.h>
#include <stddef.h>

#include "dynamorio/client_options.h"

namespace malloom::dynamorio {

/// Introduces the client under this name and returns the options that its arguments give; the first argument
/// is DynamoRIO's. An unknown option or a bad value ends the program with one line on stderr. To be called
/// first in dr_client_main().
template <class Options, size_t options_count>
Options begin_client(const char* name, int count, const char** arguments,
                     const ClientOption<Options> (&known)[options_count]) {
    dr_set_client_name(name, "the documentation of malloom");
    Options options;
    for (int i = 1; i < count; ++i) {
        if (parse_option(arguments[i], known, options)) continue;
        dr_fprintf(STDERR, "malloom: %s has no option %s\n", name, arguments[i]);
        dr_exit_process(2);
    }
    return options;
}

/// Addresses from `start` up to, not including, `end`.
struct AddressRange {
    app_pc start, end;

    bool contains(app_pc address) const { return address >= start && address < end; }
};

inline AddressRange range_of(const module_data_t* module) {
    return {module->start, module->end};
}

/// The address of what a module exports under a name; null where it does not.
inline app_pc exported(const module_data_t* module, const char* name) {
    return reinterpret_cast<app_pc>(dr_get_proc_address(module->handle, name));
}

}  // namespace malloom::dynamorio
