#include "compiler/plugin/remarks.h"

#include <set>

namespace malloom::compiler {

namespace {

constexpr const char* pass_name = "malloom";

std::string parts_of(const Decision& decision) {
    std::string text;
    for (const std::vector<unsigned>& part : decision.parts) {
        text += text.empty() ? "" : ", ";
        for (size_t i = 0; i < part.size(); ++i) {
            const Field& field = decision.proof->fields[part[i]];
            text += (i == 0 ? "" : " ") + std::to_string(field.offset) + "+" + std::to_string(field.bytes);
        }
    }
    return text;
}

/// What became of a set, whatever that is: with it, all sets of a program can be counted.
void remark_set(const Decision& decision, size_t number, const llvm::CallBase& request,
                const RemarksOf& remarks_of) {
    const Proof& proof = *decision.proof;
    const char* proven = proof.may_split() ? "splitting" : proof.may_pool() ? "pools" : "nothing";
    const bool is_split = decision.treatment == Treatment::split && decision.parts.size() > 1;
    const char* treatment = is_split                                 ? "split"
                            : decision.treatment == Treatment::split ? "packed"
                            : decision.treatment == Treatment::pool  ? "pooled"
                                                                     : "left as it was";
    remarks_of(const_cast<llvm::Function&>(*request.getFunction())).emit([&] {
        return llvm::OptimizationRemarkAnalysis(pass_name, "AliasSet", &request)
               << "an alias set, proven for " << llvm::ore::NV("Proven", proven) << ", is "
               << llvm::ore::NV("Treatment", treatment)
               << "; places that request it: " << llvm::ore::NV("Requests", proof.set->requests.size())
               << "; its number: " << llvm::ore::NV("Number", number);
    });
}

/// As the program's source calls them, an array after the other.
std::string names_of_parts(const Decision& decision, const llvm::DICompositeType& structure) {
    std::string text;
    for (const std::vector<unsigned>& part : decision.parts) {
        text += text.empty() ? "" : " | ";
        for (size_t i = 0; i < part.size(); ++i) {
            const Field& field = decision.proof->fields[part[i]];
            text += (i == 0 ? "" : ", ") + field_name(&structure, field.offset, field.bytes);
        }
    }
    return text;
}

/// What a split made of the objects.
void add_arrays(llvm::OptimizationRemark& found, const Decision& decision,
                const llvm::DICompositeType* structure) {
    const llvm::ore::NV parts("Parts", parts_of(decision));
    if (decision.parts.size() == 1) {
        found << ", whole, and as close together as their fields allow: " << parts << " (offset+bytes)";
    } else if (structure != nullptr) {
        found << ", split into: " << llvm::ore::NV("Fields", names_of_parts(decision, *structure))
              << "; arrays of " << parts << " (offset+bytes)";
    } else {
        found << ", split into arrays of " << parts << " (offset+bytes)";
    }
    found << (decision.is_recorded ? ", by the profile" : "");
}

void remark_done(const Decision& decision, const llvm::CallBase& request,
                 const llvm::DICompositeType* structure, const RemarksOf& remarks_of) {
    auto& function = const_cast<llvm::Function&>(*request.getFunction());
    const bool is_split = decision.treatment == Treatment::split;
    const char* name = !is_split ? "Pooled" : decision.parts.size() == 1 ? "Packed" : "Split";
    remarks_of(function).emit([&] {
        llvm::OptimizationRemark found(pass_name, name, &request);
        const uint64_t bytes = decision.proof->object_bytes;
        found << "objects of ";
        if (structure != nullptr) {
            found << llvm::ore::NV("Structure", written_name(*structure)) << " ("
                  << llvm::ore::NV("Bytes", bytes) << " bytes)";
        } else if (bytes != 0) {
            found << llvm::ore::NV("Bytes", bytes) << " bytes";
        } else {
            found << "sizes that differ";
        }
        found << (is_split && decision.proof->is_arrays ? " in arrays are peeled" : " come from pools");
        if (is_split) {
            add_arrays(found, decision, structure);
        } else if (!decision.shared.empty()) {
            found << ", beside objects that lead to them or that they lead to";
        }
        return found;
    });
}

/// The function that a reason is about, where it is about a call of one that has a name.
llvm::StringRef called_at(const Refusal& refusal) {
    const auto* call = refusal.at != nullptr ? llvm::dyn_cast<llvm::CallBase>(refusal.at) : nullptr;
    const llvm::StringRef name = call != nullptr ? callee_name(*call) : "";
    return name.starts_with("llvm.") ? "" : name;
}

/// Each reason once, where it was found first, or else where the object is requested.
void remark_missed(const char* name, const char* what, const std::vector<Refusal>& refusals,
                   const llvm::CallBase& request, const llvm::DICompositeType* structure,
                   const RemarksOf& remarks_of) {
    const std::string object =
        structure != nullptr ? "an object of " + written_name(*structure) : "an object";
    std::set<Rule> seen;
    for (const Refusal& refusal : refusals) {
        if (!seen.insert(refusal.rule).second) {
            continue;
        }
        const llvm::Instruction& at = refusal.at != nullptr ? *refusal.at : request;
        remarks_of(const_cast<llvm::Function&>(*at.getFunction())).emit([&] {
            llvm::OptimizationRemarkMissed missed(pass_name, name, &at);
            missed << "not " << what << ", " << llvm::ore::NV("Object", object) << " "
                   << llvm::ore::NV("Reason", sentence_of(refusal.rule));
            if (const llvm::StringRef called = called_at(refusal); !called.empty()) {
                missed << " (" << llvm::ore::NV("Callee", called) << ")";
            }
            return missed;
        });
    }
}

/// What could be split, and stays whole.
void remark_whole(const Decision& decision, const llvm::CallBase& request, const RemarksOf& remarks_of) {
    remarks_of(const_cast<llvm::Function&>(*request.getFunction())).emit([&] {
        return llvm::OptimizationRemarkMissed(pass_name, "Whole", &request)
               << "not split, as " << llvm::ore::NV("Reason", decision.why)
               << (decision.is_recorded ? ", by the profile" : "");
    });
}

/// Of the whole program, at one of its functions.
void remark_program(llvm::Module& module, llvm::StringRef name, llvm::StringRef text,
                    const RemarksOf& remarks_of) {
    const auto some =
        llvm::find_if(module, [](const llvm::Function& function) { return !function.isDeclaration(); });
    if (some != module.end()) {
        remarks_of(*some).emit([&] {
            return llvm::OptimizationRemarkMissed(pass_name, name, some->getSubprogram(),
                                                  &some->getEntryBlock())
                   << text;
        });
    }
}

}  // namespace

void remark_no_contexts(llvm::Module& module, const RemarksOf& remarks_of) {
    remark_program(
        module, "NoContexts",
        "the program is too large for calls of one function to be told apart: no function is copied",
        remarks_of);
}

void remark_coarse(llvm::Module& module, const RemarksOf& remarks_of) {
    remark_program(
        module, "Coarse",
        "the program's pointers take too many steps to be told apart: of objects with many pointers "
        "in them, all places are taken for one",
        remarks_of);
}

void remark(const std::vector<Decision>& decisions, const StructureNames& names,
            const RemarksOf& remarks_of) {
    for (size_t number = 0; number < decisions.size(); ++number) {
        const Decision& decision = decisions[number];
        const Proof& proof = *decision.proof;
        const llvm::CallBase& request = *proof.set->requests.front().call;
        remark_set(decision, number, request, remarks_of);
        const llvm::DICompositeType* structure = names.of(*proof.set, proof.object_bytes);
        if (decision.treatment != Treatment::none) {
            remark_done(decision, request, structure, remarks_of);
        }
        remark_missed("NotPooled", "from pools", proof.pool_refusals, request, structure, remarks_of);
        if (proof.may_pool()) {
            remark_missed("NotSplit", "split", proof.split_refusals, request, structure, remarks_of);
        }
        if (!decision.why.empty()) {
            remark_whole(decision, request, remarks_of);
        }
    }
}

}  // namespace malloom::compiler
