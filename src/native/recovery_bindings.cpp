// Profiles while they are recorded: creating them, and taking in what ended processes have staged.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "record/stream/chunk_reader.h"
#include "record/stream/invariants.h"
#include "record/stream/recovery.h"
#include "src/native/bindings.h"

namespace malloom::native {

namespace nb = nanobind;

namespace {

nb::dict recover(const std::string& path, uint64_t maximum_bytes, bool finish) {
    stream::Recovery recovery;
    {
        const nb::gil_scoped_release others_may_run;
        recovery = stream::recover(path, maximum_bytes, finish);
    }
    nb::dict result;
    result["problem"] = recovery.problem;
    result["processes"] = recovery.processes;
    result["contexts"] = recovery.contexts;
    result["events"] = recovery.events;
    result["dropped"] = recovery.dropped;
    result["living"] = recovery.living;
    result["limit_reached"] = recovery.limit_reached;
    result["write_failed"] = recovery.write_failed;
    result["file_bytes"] = recovery.file_bytes;
    return result;
}

std::vector<std::string> check(const std::string& path) {
    stream::ChunkReader reader;
    if (!reader.open(path.c_str())) return {reader.problem()};
    return stream::broken_invariants(reader);
}

}  // namespace

void bind_recovery(nb::module_& module) {
    module.def("create_profile", &stream::create_profile, nb::arg("path"), nb::arg("created"),
               "Create an empty profile and its staging folder; returns the problem, or ''.");
    module.def("recover_profile", &recover, nb::arg("path"), nb::arg("maximum_bytes"), nb::arg("finish"),
               "Take in what ended processes have staged; returns how the profile stands.");
    module.def("check_profile", &check, nb::arg("path"),
               "Check a profile's invariants (record/stream/invariants.h); returns what does not hold.");
}

}  // namespace malloom::native
