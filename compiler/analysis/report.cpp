#include "compiler/analysis/report.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <map>
#include <utility>

namespace malloom::compiler {

namespace {

void print_place(llvm::raw_ostream& out, const llvm::Instruction& instruction) {
    out << instruction.getFunction()->getName();
    if (const llvm::DebugLoc& place = instruction.getDebugLoc()) {
        out << ':' << place.getLine() << ':' << place.getCol();
    }
}

void print_refusals(llvm::raw_ostream& out, const char* what, const std::vector<Refusal>& refusals) {
    std::map<Rule, unsigned> seen;
    for (const Refusal& refusal : refusals) {
        ++seen[refusal.rule];
    }
    for (const Refusal& refusal : refusals) {
        const unsigned times = std::exchange(seen[refusal.rule], 0);
        if (times == 0) {
            continue;
        }
        out << "  " << what << ": " << sentence_of(refusal.rule);
        if (refusal.at != nullptr) {
            out << " (";
            print_place(out, *refusal.at);
            out << ')';
        }
        if (times > 1) {
            out << " and " << times - 1 << " more";
        }
        out << '\n';
    }
}

}  // namespace

void print(llvm::raw_ostream& out, const std::vector<Proof>& proofs) {
    for (const Proof& proof : proofs) {
        out << "objects of " << proof.object_bytes << " bytes from";
        for (const Request& request : proof.set->requests) {
            out << ' ';
            print_place(out, *request.call);
        }
        out << ": " << (proof.may_split() ? "split" : proof.may_pool() ? "pool" : "no") << ", fields";
        for (const Field& field : proof.fields) {
            out << ' ' << field.offset << '+' << field.bytes << (field.is_recursive ? "r" : "");
        }
        out << '\n';
        print_refusals(out, "no pool", proof.pool_refusals);
        print_refusals(out, "no split", proof.split_refusals);
    }
}

}  // namespace malloom::compiler
