#include "compiler/transform/self_checks.h"

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/analysis/fields.h"
#include "compiler/transform/targets.h"

namespace malloom::compiler {

namespace {

[[noreturn]] void stop(const std::string& what, const char* rule) {
    llvm::report_fatal_error(llvm::Twine("malloom: ") + what + " would break the rule that " + rule +
                                 ". This is an error in malloom: please report it. The program links with "
                                 "-fmalloom-policy=none",
                             false);
}

/// By size, and where the first of them is requested.
std::string objects_of(const Proof& proof) {
    std::string text = "the split of objects of " + std::to_string(proof.object_bytes) + " bytes";
    llvm::raw_string_ostream out(text);
    const llvm::CallBase& request = *proof.set->requests.front().call;
    out << " that " << request.getFunction()->getName() << " requests";
    if (const llvm::DebugLoc& place = request.getDebugLoc()) {
        out << " at ";
        place.print(out);
    }
    return text;
}

void check_access(const Target& target, const Access& access, Cell at) {
    const SplitLayout& layout = *target.layout;
    const auto places = at.set->alternatives(at.offset);
    const bool is_divided = places.size() == 1 && !access.is_one_of_some && may_be_divided(access);
    for (const int64_t place : places) {
        const auto offset = static_cast<uint64_t>(layout.within(place));
        const Field* field = layout.field_at(offset);
        if (field == nullptr) {
            stop(objects_of(*target.proof), "each access is to a field");
        }
        if (offset + access.bytes > field->end() && !is_divided) {
            stop(objects_of(*target.proof), "what is accessed at once is one field");
        }
    }
}

}  // namespace

void check_layout(const Proof& proof, const SplitLayout& layout) {
    if (const char* rule = layout.broken_rule()) {
        stop(objects_of(proof), rule);
    }
}

void check_found(const PointsTo& points_to, const Targets& targets,
                 const llvm::DenseSet<const llvm::Instruction*>& found) {
    for (const auto& [set, target] : targets.all()) {
        for (const Request& request : set->requests) {
            if (targets.of(*request.call).first != nullptr && !found.contains(request.call)) {
                stop(objects_of(*target.proof), "each request of its objects is rewritten");
            }
        }
        for (const llvm::CallBase* release : set->releases) {
            if (!found.contains(release)) {
                stop(objects_of(*target.proof), "each release of its objects is rewritten");
            }
        }
    }
    for (const Access& access : points_to.accesses()) {
        const Cell at = points_to.sets().resolve(access.at);
        const Target* target = at ? targets.of(at.set) : nullptr;
        if (target == nullptr || target->layout == nullptr) {
            continue;
        }
        // Where an index chooses among fields, the address alone is rewritten.
        if (!access.is_one_of_some && !found.contains(access.instruction)) {
            stop(objects_of(*target->proof), "each access to its objects is rewritten");
        }
        check_access(*target, access, at);
    }
}

void check_module(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (llvm::verifyModule(module, &out)) {
        stop("the rewritten program (" + text + ")", "LLVM takes what is made");
    }
}

}  // namespace malloom::compiler
