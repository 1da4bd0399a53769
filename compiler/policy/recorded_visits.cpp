#include "compiler/policy/recorded_visits.h"

#include <llvm/ADT/DenseMap.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/policy/costs.h"
#include "compiler/policy/visit_sets.h"

namespace malloom::compiler {

namespace {

namespace rows = formats::fields;

/// In the time of an access that misses nothing: one that misses the first level, and what it waits for
/// memory beside. Rough, as they only tell what is hardly waited for.
constexpr double first_miss = 10, memory = 100;
/// Of a line that comes before it is asked for (docs/decisions/cost-model.md).
constexpr double ahead = 0.05;
/// Of the program's time: what splitting can save at most of such objects is not worth its code.
constexpr double hardly = 0.01;
/// Of a kind's accesses, to bytes that the program has no field at. More: the table is of another program.
constexpr double most_strays = 0.1;
/// Of all visits: what is rarer does not count.
constexpr double rare = 0.001;

constexpr size_t not_paired = SIZE_MAX;

double accesses_of(const auto& counts) {
    return static_cast<double>(counts.loads) + static_cast<double>(counts.stores);
}

double waits_of(const rows::Kind& kind) {
    const auto last = static_cast<double>(kind.last_misses), hidden = static_cast<double>(kind.hidden_misses);
    return first_miss * static_cast<double>(kind.first_misses) +
           memory * (std::max(0.0, last - hidden) + ahead * hidden);
}

/// What is recorded of one set's objects: kinds are added one by one.
class SetRecording {
  public:
    explicit SetRecording(const Proof& proof) : proof_(proof), accesses_(proof.fields.size()) {}

    void add(const formats::FieldsFile& table, const rows::Kind& kind);
    bool has_kinds() const { return has_kinds_; }
    bool is_of_other_source() const { return strays_ > most_strays * all_accesses_; }
    /// `fresh` are the fields that new objects get, as far as the code tells; `program_time` is that of all
    /// kinds.
    Usage usage(FieldSet fresh, double program_time) const;

  private:
    FieldSet fields_at(uint64_t offset, uint64_t bytes) const;
    void add_visits(const formats::FieldsFile& table, const rows::Kind& kind,
                    const std::vector<FieldSet>& touched);
    std::vector<Visit> all_visits(FieldSet fresh) const;
    void share_lines(Recorded& recorded, const std::vector<Visit>& visits) const;

    const Proof& proof_;
    bool has_kinds_ = false;
    std::vector<double> accesses_;
    std::map<FieldSet, double> visits_;
    double objects_ = 0, all_accesses_ = 0, strays_ = 0, waits_ = 0, last_ = 0, hidden_ = 0;
};

FieldSet SetRecording::fields_at(uint64_t offset, uint64_t bytes) const {
    FieldSet found = 0;
    for (size_t i = 0; i < proof_.fields.size(); ++i) {
        const Field& field = proof_.fields[i];
        if (field.offset < offset + bytes && offset < field.end()) {
            found |= FieldSet{1} << i;
        }
    }
    return found;
}

void SetRecording::add(const formats::FieldsFile& table, const rows::Kind& kind) {
    has_kinds_ = true;
    std::vector<FieldSet> touched;
    for (const rows::Field& field : table.fields_of(kind)) {
        touched.push_back(fields_at(field.offset, field.bytes));
        const double accesses = accesses_of(field);
        all_accesses_ += accesses;
        strays_ += touched.back() == 0 ? accesses : 0;
        for (size_t i = 0; i < accesses_.size(); ++i) {
            accesses_[i] += (touched.back() >> i & 1) != 0 ? accesses : 0;
        }
    }
    objects_ += static_cast<double>(kind.requests);
    waits_ += waits_of(kind);
    last_ += static_cast<double>(kind.last_misses);
    hidden_ += static_cast<double>(kind.hidden_misses);
    add_visits(table, kind, touched);
}

void SetRecording::add_visits(const formats::FieldsFile& table, const rows::Kind& kind,
                              const std::vector<FieldSet>& touched) {
    const auto fields = table.fields_of(kind);
    std::vector<FieldSet> paired;
    std::vector<size_t> number(fields.count, not_paired);
    CountedTogether counts;
    for (size_t i = 0; i < fields.count; ++i) {
        if (fields[i].visits != 0 && paired.size() < rows::most_paired) {
            number[i] = paired.size();
            paired.push_back(touched[i]);
            counts.single.push_back(static_cast<double>(fields[i].visits));
        } else if (touched[i] != 0) {
            visits_[touched[i]] += std::min(accesses_of(fields[i]), static_cast<double>(kind.visits));
        }
    }
    counts.together.assign(paired.size(), std::vector<double>(paired.size()));
    for (const rows::Pair& pair : table.pairs_of(kind)) {
        const size_t first = number[pair.first], second = number[pair.second];
        if (first != not_paired && second != not_paired) {
            counts.together[first][second] = counts.together[second][first] =
                static_cast<double>(pair.visits);
        }
    }
    const double least = std::max(1.0, rare * static_cast<double>(kind.visits));
    for (const CountedSet& set : sets_of(std::move(counts), least)) {
        FieldSet all = 0;
        for (size_t i = 0; i < paired.size(); ++i) {
            all |= (set.members >> i & 1) != 0 ? paired[i] : 0;
        }
        if (all != 0) {
            visits_[all] += set.count;
        }
    }
}

/// Each object has one visit as a new one: those that are most like what the code does with new objects;
/// where it does not tell, those with the most fields.
std::vector<Visit> SetRecording::all_visits(FieldSet fresh) const {
    std::vector<std::pair<FieldSet, double>> order(visits_.begin(), visits_.end());
    const double least =
        rare * std::accumulate(order.begin(), order.end(), 0.0,
                               [](double sum, const auto& visit) { return sum + visit.second; });
    std::erase_if(order, [&](const auto& visit) { return visit.second < least; });
    std::ranges::stable_sort(order, {}, [&](const auto& visit) {
        const auto& [fields, weight] = visit;
        return std::pair(fresh != 0 ? std::popcount(fields ^ fresh) : -std::popcount(fields), -weight);
    });
    std::vector<Visit> visits;
    double left = objects_;
    for (const auto& [fields, weight] : order) {
        const double new_ones = std::min(weight, left);
        left -= new_ones;
        if (new_ones > 0) {
            visits.push_back({fields, new_ones, true});
        }
        if (weight > new_ones) {
            visits.push_back({fields, weight - new_ones, false});
        }
    }
    return visits;
}

/// Lines of new objects are hidden misses, as are those that were fetched ahead.
void SetRecording::share_lines(Recorded& recorded, const std::vector<Visit>& visits) const {
    double lines = 0, new_lines = 0;
    for (const Visit& visit : visits) {
        (visit.is_fresh ? new_lines : lines) += visit.weight * lines_of_whole(proof_, visit.fields);
    }
    if (lines > 0) {
        recorded.waited = std::clamp((last_ - hidden_) / lines, 0.0, 1.0);
        recorded.in_order = std::clamp((hidden_ - new_lines) / lines, 0.0, 1 - recorded.waited);
    }
}

Usage SetRecording::usage(FieldSet fresh, double program_time) const {
    const std::vector<Visit> visits = all_visits(fresh);
    Recorded recorded = {.accesses = accesses_};
    share_lines(recorded, visits);
    recorded.is_cold = visits.empty() || waits_ <= hardly * program_time;
    return {.visits = visits, .recorded = recorded};
}

/// The fields that the code gives to objects that it has just requested.
FieldSet fresh_fields(const Usage& usage) {
    FieldSet fields = 0;
    for (const Visit& visit : usage.visits) {
        fields |= visit.is_fresh ? visit.fields : 0;
    }
    return fields;
}

/// A table's kinds for the requests of a program.
class Recording {
  public:
    Recording(const formats::FieldsFile& table, const llvm::Module& module)
        : table_(table),
          sites_(request_sites(module)),
          recorded_(recorded_sites(table.sites())),
          kinds_(recorded_.size()),
          levels_(recorded_.size()) {
        for (const Match& found : match(sites_, recorded_)) {
            contexts_[sites_[found.site].call].insert(found.recorded);
            levels_[found.recorded] = found.level;
        }
        for (const rows::Kind& kind : table.kinds()) {
            kinds_[kind.context].push_back(&kind);
            time_ += accesses_of(kind) + waits_of(kind);
        }
    }

    void use_for(const Proof& proof, Usage& usage) const;
    FoundAgain found_again() const;

  private:
    uint32_t module_of(size_t context) const;

    const formats::FieldsFile& table_;
    std::vector<ProgramSite> sites_;
    std::vector<CallSite> recorded_;
    std::vector<std::vector<const rows::Kind*>> kinds_;                 ///< by contexts
    std::vector<std::optional<Level>> levels_;                          ///< of contexts that were found
    llvm::DenseMap<const llvm::CallBase*, std::set<size_t>> contexts_;  ///< of requests
    double time_ = 0;
};

void Recording::use_for(const Proof& proof, Usage& usage) const {
    if (proof.is_arrays) {
        usage.untold = "they are structures in arrays, and it tells of whole objects";
        return;
    }
    std::set<size_t> contexts;
    for (const Request& request : proof.set->requests) {
        const auto found = contexts_.find(request.call);
        if (found != contexts_.end()) {
            contexts.insert(found->second.begin(), found->second.end());
        }
    }
    if (contexts.empty()) {
        usage.untold = "it has no call site that is theirs";
        return;
    }
    SetRecording recording(proof);
    for (const size_t context : contexts) {
        for (const rows::Kind* kind : kinds_[context]) {
            if (kind->size == proof.object_bytes) {
                recording.add(table_, *kind);
            }
        }
    }
    if (!recording.has_kinds()) {
        usage.untold = "it has other sizes of objects at their call sites";
    } else if (recording.is_of_other_source()) {
        usage.untold = "it has accesses to other bytes of them than the program";
    } else {
        const FieldSet links = usage.links;
        usage = recording.usage(fresh_fields(usage), time_);
        usage.links = links;
    }
}

uint32_t Recording::module_of(size_t context) const {
    const formats::SitesFile& keys = table_.sites();
    return keys.sites()[keys.frames()[keys.contexts()[context].first_frame].site].module;
}

/// The C library requests objects too, and may have debug information; where the program is, it is not.
FoundAgain Recording::found_again() const {
    FoundAgain found = {.has_requests = !sites_.empty()};
    found.has_keys =
        std::ranges::any_of(sites_, [](const ProgramSite& site) { return !site.key.calls.empty(); });
    std::set<uint32_t> modules;
    for (size_t i = 0; i < recorded_.size(); ++i) {
        if (levels_[i]) {
            modules.insert(module_of(i));
        }
    }
    for (size_t i = 0; i < recorded_.size(); ++i) {
        if (recorded_[i].calls.empty() || (!modules.empty() && !modules.contains(module_of(i)))) {
            continue;
        }
        const auto requests = static_cast<double>(table_.sites().contexts()[i].requests);
        ++found.sites;
        found.requests += requests;
        if (const std::optional<Level> level = levels_[i]) {
            ++found.found[static_cast<size_t>(*level)];
            found.found_requests += requests;
        }
    }
    return found;
}

}  // namespace

size_t FoundAgain::found_sites() const {
    return std::accumulate(found.begin(), found.end(), size_t{0});
}

FoundAgain use_recorded(const formats::FieldsFile& table, const llvm::Module& module,
                        const std::vector<Proof>& proofs, std::vector<Usage>& usages) {
    const Recording recording(table, module);
    for (size_t i = 0; i < proofs.size(); ++i) {
        if (proofs[i].may_split() && proofs[i].fields.size() <= most_grouped_fields) {
            recording.use_for(proofs[i], usages[i]);
        }
    }
    return recording.found_again();
}

}  // namespace malloom::compiler
