// Profiles: creating them, taking in what ended processes have staged, and reading what they say.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "record/stream/chunk_reader.h"
#include "record/stream/invariants.h"
#include "record/stream/recovery.h"
#include "src/native/accesses/watched.h"
#include "src/native/accesses/windows.h"
#include "src/native/bindings.h"
#include "src/native/numpy_arrays.h"
#include "src/native/profile/accesses.h"
#include "src/native/profile/addresses.h"
#include "src/native/profile/contexts.h"
#include "src/native/profile/recording.h"
#include "src/native/profile/requests.h"
#include "src/native/text/export.h"
#include "src/native/text/import.h"

namespace nb = nanobind;

namespace malloom::native {

namespace {

/// The strings of a profile may be any bytes; Python gets them with surrogates as it does file names.
nb::object to_text(const std::string& bytes) {
    PyObject* text = PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
    if (text == nullptr) throw nb::python_error();
    return nb::steal(text);
}

nb::list to_list(const ChunkList& chunks) {
    nb::list pairs;
    for (const auto* chunk : chunks) {
        for (const auto& [key, value] : read_properties(*chunk)) {
            pairs.append(nb::make_tuple(to_text(key), to_text(value)));
        }
    }
    return pairs;
}

std::unique_ptr<Recording> open_recording(const char* path) {
    auto recording = std::make_unique<Recording>();
    if (!recording->open(path)) throw std::invalid_argument(recording->problem());
    return recording;
}

const ProcessChunks& process_of(const Recording& recording, uint64_t identity) {
    const ProcessChunks* process = recording.find(identity);
    if (process == nullptr) throw std::invalid_argument("the profile has no such process");
    return *process;
}

nb::list processes(const Recording& recording) {
    nb::list list;
    for (const ProcessChunks& process : recording.processes()) {
        nb::dict entry;
        entry["identity"] = process.identity;
        entry["events"] = process.events;
        entry["accesses"] = process.accesses;
        entry["lost_chunks"] = process.lost_chunks;
        entry["properties"] = to_list(process.process);
        entry["end"] = to_list(process.ends);
        list.append(entry);
    }
    return list;
}

nb::dict columns(RequestTable&& table) {
    nb::dict columns;
    columns["size"] = to_numpy(std::move(table.size));
    columns["alignment"] = to_numpy(std::move(table.alignment));
    columns["context"] = to_numpy(std::move(table.context));
    columns["ordinal"] = to_numpy(std::move(table.ordinal));
    columns["thread"] = to_numpy(std::move(table.thread));
    columns["birth"] = to_numpy(std::move(table.birth));
    columns["death"] = to_numpy(std::move(table.death));
    columns["address"] = to_numpy(std::move(table.address));
    columns["friend"] = to_numpy(std::move(table.friends));
    return columns;
}

nb::dict losses(const RequestTable& table, const ContextTable& contexts) {
    nb::dict losses;
    losses["touches"] = table.touches;
    losses["releases_unknown"] = table.releases_unknown;
    losses["corrupt_chunks"] = table.corrupt_chunks + contexts.corrupt_chunks;
    losses["stopped"] = table.stopped;
    losses["overflowed"] = table.overflowed;
    return losses;
}

nb::list modules(const ContextTable& contexts) {
    nb::list list;
    for (const ModuleEntry& module : contexts.modules) {
        list.append(nb::make_tuple(to_text(module.path), to_text(module.build_id), module.base, module.end,
                                   module.bias, module.hash));
    }
    return list;
}

/// (columns of the requests, losses, columns of the contexts, modules)
nb::tuple read_process(const Recording& recording, uint64_t identity) {
    const ProcessChunks& process = process_of(recording, identity);
    ContextTable contexts(process);
    RequestTable table;
    std::vector<uint64_t> hashes;
    uint64_t corrupt_of_accesses = 0;
    {
        nb::gil_scoped_release unlocked;
        table = read_requests(process, contexts);
        corrupt_of_accesses = corrupt_access_chunks(process);
        hashes = contexts.hashes(UINT32_MAX);
    }
    nb::dict lost = losses(table, contexts);
    lost["corrupt_access_chunks"] = corrupt_of_accesses;
    nb::list objects = modules(contexts);
    nb::tuple chains =
        nb::make_tuple(to_numpy(std::move(contexts.offsets)), to_numpy(std::move(contexts.frame_modules)),
                       to_numpy(std::move(contexts.frame_offsets)), to_numpy(std::move(hashes)));
    return nb::make_tuple(columns(std::move(table)), lost, chains, objects);
}

std::unique_ptr<AccessSource> accesses(const Recording& recording, uint64_t identity, uint64_t skip,
                                       uint64_t take) {
    const ProcessChunks& process = process_of(recording, identity);
    return watched(windowed(std::make_unique<RecordedAccesses>(process), skip, take),
                   expected_in_windows(process.accesses, skip, take));
}

std::unique_ptr<AccessSource> accesses_here_and_there(const Recording& recording, uint64_t identity,
                                                      uint64_t skip, uint64_t take) {
    const ProcessChunks& process = process_of(recording, identity);
    return watched(std::make_unique<RecordedAccesses>(process, skip, take),
                   expected_in_windows(process.accesses, skip, take));
}

std::unique_ptr<AddressSource> addresses(const Recording& recording, uint64_t identity) {
    return std::make_unique<RecordedAddresses>(process_of(recording, identity));
}

OwnedArray<uint64_t> chain_hashes(const ArrayView<uint64_t>& offsets,
                                  const ArrayView<uint32_t>& frame_modules,
                                  const ArrayView<uint64_t>& frame_offsets,
                                  const ArrayView<uint64_t>& module_hashes, uint32_t depth) {
    const auto rows = to_span(offsets);
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
        if (rows[i] > rows[i + 1] || rows[i + 1] > frame_modules.shape(0) ||
            rows[i + 1] > frame_offsets.shape(0)) {
            throw std::invalid_argument("offsets beyond the frames");
        }
        const size_t count = std::min<size_t>(depth, rows[i + 1] - rows[i]);
        hashes.push_back(chain_hash(to_span(frame_modules).subspan(rows[i], count),
                                    to_span(frame_offsets).subspan(rows[i], count), to_span(module_hashes)));
    }
    return to_numpy(std::move(hashes));
}

nb::tuple refold_contexts(const ArrayView<uint32_t>& context, const ArrayView<uint64_t>& hashes) {
    for (const uint32_t index : to_span(context)) {
        if (index >= hashes.shape(0)) throw std::invalid_argument("a request of a context without hash");
    }
    Refolding refolding = refold(to_span(context), to_span(hashes));
    return nb::make_tuple(to_numpy(std::move(refolding.context)), to_numpy(std::move(refolding.hashes)),
                          to_numpy(std::move(refolding.ordinal)));
}

nb::dict recover(const std::string& path, uint64_t maximum_bytes, bool finish, bool is_window) {
    stream::Recovery recovery;
    {
        const nb::gil_scoped_release others_may_run;
        recovery = is_window ? stream::recover_window(path, maximum_bytes)
                             : stream::recover(path, maximum_bytes, finish);
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

void bind_recovery(nb::module_& module) {
    module.def("create_profile", &stream::create_profile, nb::arg("path"), nb::arg("created"),
               "Create an empty profile and its staging folder; returns the problem, or ''.");
    module.def(
        "recover_profile", &recover, nb::arg("path"), nb::arg("maximum_bytes"), nb::arg("finish"),
        nb::arg("is_window") = false,
        "Take in what ended processes have staged, of a window living ones too; returns how the profile "
        "stands.");
    module.def("check_profile", &check, nb::arg("path"),
               "Check a profile's invariants (record/stream/invariants.h); returns what does not hold.");
}

void bind_reading(nb::module_& module) {
    nb::class_<Recording>(module, "Recording")
        .def(nb::new_(&open_recording), nb::arg("path"))
        .def_prop_ro("created", &Recording::created)
        .def("notes", &Recording::notes)
        .def(
            "export_text",
            [](const Recording& recording, int descriptor) {
                return export_text(recording.reader(), descriptor);
            },
            nb::arg("descriptor"), nb::call_guard<nb::gil_scoped_release>())
        .def("processes", &processes)
        .def("read_process", &read_process, nb::arg("identity"))
        .def("accesses", &accesses, nb::arg("identity"), nb::arg("skip") = 0, nb::arg("take") = 0,
             nb::keep_alive<0, 1>())
        .def("accesses_here_and_there", &accesses_here_and_there, nb::arg("identity"), nb::arg("skip"),
             nb::arg("take"), nb::keep_alive<0, 1>())
        .def("addresses", &addresses, nb::arg("identity"), nb::keep_alive<0, 1>());
    module.def("import_text", &import_text, nb::arg("input"), nb::arg("output"),
               nb::call_guard<nb::gil_scoped_release>());
    module.def("chain_hashes", &chain_hashes, nb::arg("offsets"), nb::arg("frame_modules"),
               nb::arg("frame_offsets"), nb::arg("module_hashes"), nb::arg("depth"));
    module.def("refold_contexts", &refold_contexts, nb::arg("context"), nb::arg("hashes"));
}

}  // namespace

void bind_profile(nb::module_& module) {
    bind_reading(module);
    bind_recovery(module);
}

}  // namespace malloom::native
