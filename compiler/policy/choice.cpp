#include "compiler/policy/choice.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <set>

#include "compiler/policy/call_sites.h"
#include "compiler/policy/whole_file.h"

namespace malloom::compiler {

namespace {

llvm::StringRef ref(std::string_view text) {
    return {text.data(), text.size()};
}

CallSite site_of(const formats::ChoiceRequest& request) {
    CallSite site = {.callee = ref(request.callee),
                     .inlined_calls = std::min<size_t>(request.inlined_calls, request.calls.size()),
                     .ordinal = request.ordinal,
                     .alike = request.alike,
                     .copies = request.copies};
    for (const formats::ChoiceCall& call : request.calls) {
        site.calls.push_back(
            {ref(call.function), ref(call.file_name), call.line, call.column, call.function_line});
    }
    return site;
}

/// The requests of a choice, and which of its structures each is of.
struct Requests {
    std::vector<CallSite> sites;
    std::vector<size_t> structures;
};

Requests requests_of(const formats::ChoiceFile& choice) {
    Requests found;
    for (size_t i = 0; i < choice.structures().size(); ++i) {
        for (const formats::ChoiceRequest& request : choice.structures()[i].requests) {
            found.sites.push_back(site_of(request));
            found.structures.push_back(i);
        }
    }
    return found;
}

using StructuresOf = llvm::DenseMap<const llvm::CallBase*, std::set<size_t>>;

/// Of the calls that request objects: the choice's structures that these may be.
StructuresOf structures_of(const formats::ChoiceFile& choice, const llvm::Module& module) {
    const Requests chosen = requests_of(choice);
    const std::vector<ProgramSite> sites = request_sites(module);
    StructuresOf found;
    for (const Match& each : match(sites, chosen.sites)) {
        found[sites[each.site].call].insert(chosen.structures[each.recorded]);
    }
    return found;
}

/// The structure that most requests are of, of those alike the first.
std::optional<size_t> structure_of(const Proof& proof, const StructuresOf& structures) {
    std::map<size_t, size_t> requests;
    for (const Request& request : proof.set->requests) {
        for (const size_t structure : structures.lookup(request.call)) {
            ++requests[structure];
        }
    }
    const auto most = std::ranges::max_element(requests, {}, [](const auto& each) { return each.second; });
    return most == requests.end() ? std::nullopt : std::optional(most->first);
}

Policy policy_of(std::string_view name) {
    return policy_named(ref(name)).value_or(Policy::none);
}

/// What a choice calls a policy: a program that stays without pools has none.
llvm::StringRef written_name(Policy policy) {
    return name_of(policy == Policy::overhead_only ? Policy::none : policy);
}

/// By their calls: the sites of the calls themselves, not those of functions that jump to the allocator.
llvm::DenseMap<const llvm::CallBase*, const CallSite*> own_sites(const std::vector<ProgramSite>& sites) {
    llvm::DenseMap<const llvm::CallBase*, const CallSite*> found;
    for (const ProgramSite& site : sites) {
        found.try_emplace(site.call, &site.key);
    }
    return found;
}

void write_request(llvm::raw_ostream& out, const CallSite& site) {
    out << "request " << site.callee << ' ' << site.ordinal << ' ' << site.alike << ' ' << site.copies << ' '
        << site.inlined_calls << '\n';
    for (const SourceCall& call : site.calls) {
        out << "call " << call.line << ' ' << call.column << ' ' << call.function_line << ' ' << call.function
            << ' ' << call.file_name << '\n';
    }
}

/// Whether a line can hold what debug information calls it, whoever wrote that.
bool is_writable(const CallSite& site) {
    const auto is_word = [](llvm::StringRef text) {
        return !text.empty() && text.find_first_of(" \n") == llvm::StringRef::npos;
    };
    return !site.calls.empty() && is_word(site.callee) &&
           llvm::all_of(site.calls, [&](const SourceCall& call) {
               return is_word(call.function) && !call.file_name.empty() && !call.file_name.contains('\n');
           });
}

std::string in_a_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

std::unique_ptr<Choice> Choice::open(llvm::StringRef path, std::string& problem) {
    std::unique_ptr<Choice> choice(new Choice);
    choice->path_ = path.str();
    choice->bytes_ =
        whole_file(path, formats::ChoiceFile::most_bytes, formats::ChoiceFile::too_long, problem);
    if (choice->bytes_ == nullptr) {
        return nullptr;
    }
    const llvm::StringRef text = choice->bytes_->getBuffer();
    if (!choice->file_.open({text.data(), text.size()})) {
        problem = choice->file_.problem();
        return nullptr;
    }
    return choice;
}

std::string Choice::profile() const {
    if (file_.profile().empty()) {
        return "";
    }
    llvm::SmallString<128> path = llvm::sys::path::parent_path(path_);
    llvm::sys::path::append(path, ref(file_.profile()));
    return path.str().str();
}

Policy others(const formats::ChoiceFile& choice) {
    return policy_of(choice.others());
}

ChosenPolicies chosen_policies(const formats::ChoiceFile& choice, const llvm::Module& module,
                               const std::vector<Proof>& proofs) {
    const StructuresOf structures = structures_of(choice, module);
    ChosenPolicies chosen;
    std::set<size_t> found;
    for (const Proof& proof : proofs) {
        const std::optional<size_t> structure = structure_of(proof, structures);
        chosen.of_proofs.push_back(structure ? policy_of(choice.structures()[*structure].policy)
                                             : others(choice));
        if (structure) {
            found.insert(*structure);
        }
    }
    chosen.found = found.size();
    return chosen;
}

std::string written_choice(const llvm::Module& module, const std::vector<Decision>& decisions, Policy others,
                           llvm::StringRef linked, const std::function<std::string(const Proof&)>& describe) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << ref(formats::ChoiceFile::first_line) << "\nothers " << written_name(others) << '\n' << linked;
    const std::vector<ProgramSite> sites = request_sites(module);
    const auto sites_of = own_sites(sites);
    for (const Decision& decision : decisions) {
        if (!decision.proof->may_pool()) {
            continue;
        }
        out << "structure " << written_name(decision.policy) << ' ' << in_a_line(describe(*decision.proof))
            << '\n';
        for (const Request& request : decision.proof->set->requests) {
            const CallSite* site = sites_of.lookup(request.call);
            if (site != nullptr && is_writable(*site)) {
                write_request(out, *site);
            }
        }
    }
    return text;
}

}  // namespace malloom::compiler
