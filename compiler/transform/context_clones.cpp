#include "compiler/transform/context_clones.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <numeric>

namespace malloom::compiler {

namespace {

/// Nobody else sees the copy. Tools show the part of a name that begins with a point as a note.
llvm::Function* copy_of(llvm::Function& function, llvm::ValueToValueMapTy& values) {
    llvm::Function* copy = llvm::CloneFunction(&function, values);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    copy->setDSOLocal(true);
    copy->setName(function.getName() + ".context");
    return copy;
}

}  // namespace

ContextClones::ContextClones(Contexts contexts)
    : contexts_(std::move(contexts)), functions_(contexts_.contexts.size()) {
    std::vector<bool> is_met(contexts_.groups.size());
    for (unsigned i = 0; i < contexts_.contexts.size(); ++i) {
        const unsigned group = contexts_.contexts[i].group;
        copy(i, !is_met[group]);
        is_met[group] = true;
    }
    for (unsigned i = 0; i < contexts_.contexts.size(); ++i) {
        put_sizes(i);
        redirect(i, themselves());
    }
}

void ContextClones::copy(unsigned context, bool is_first) {
    Context& made = contexts_.contexts[context];
    llvm::ValueToValueMapTy values;
    for (llvm::Function* function : contexts_.groups[made.group]) {
        functions_[context][function] = is_first ? function : copy_of(*function, values);
    }
    if (is_first) {
        return;
    }
    for (ContextCall& known : made.calls) {
        known.call = llvm::cast<llvm::CallBase>(values[known.call]);
    }
}

/// After all copies are made, as the first context has the functions that they are copies of.
void ContextClones::put_sizes(unsigned context) {
    for (const auto& [argument, bytes] : contexts_.contexts[context].sizes) {
        const llvm::Function* function = functions_[context].lookup(argument->getParent());
        llvm::Argument* own = function->getArg(argument->getArgNo());
        own->replaceAllUsesWith(llvm::ConstantInt::get(own->getType(), bytes));
    }
}

void ContextClones::redirect(unsigned context, const std::vector<unsigned>& kept) {
    for (const ContextCall& known : contexts_.contexts[context].calls) {
        known.call->setCalledFunction(functions_[kept[known.context]].lookup(known.callee));
    }
}

ContextClones::Signature ContextClones::signature_of(unsigned context, const TreatedPlaceOf& treated_place_of,
                                                     const std::vector<unsigned>& kept) const {
    Signature signature;
    const auto take = [&](const llvm::Value& value) {
        const Cell place = treated_place_of(value);
        signature.emplace_back(place.set, static_cast<uint64_t>(place.offset));
    };
    const Context& known = contexts_.contexts[context];
    for (const llvm::Function* original : contexts_.groups[known.group]) {
        const llvm::Function* function = functions_[context].lookup(original);
        for (const llvm::Argument& argument : function->args()) {
            take(argument);
        }
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
            take(instruction);
        }
    }
    for (const auto& [argument, bytes] : known.sizes) {
        signature.emplace_back(argument, bytes);
    }
    for (const ContextCall& call : known.calls) {
        const bool is_own = contexts_.contexts[call.context].group == known.group;
        signature.emplace_back(nullptr, is_own ? 0 : kept[call.context]);
    }
    return signature;
}

/// Callees before their callers; of contexts that are treated alike the group's first is kept, whose
/// functions were there before.
void ContextClones::fold(const TreatedPlaceOf& treated_place_of) {
    std::vector<unsigned> kept = themselves();
    for (size_t end = kept.size(); end > 0;) {
        const unsigned group = contexts_.contexts[end - 1].group;
        size_t begin = end;
        while (begin > 0 && contexts_.contexts[begin - 1].group == group) {
            --begin;
        }
        std::map<Signature, unsigned> known;
        for (auto context = static_cast<unsigned>(begin); end - begin > 1 && context < end; ++context) {
            kept[context] =
                known.try_emplace(signature_of(context, treated_place_of, kept), context).first->second;
        }
        end = begin;
    }
    for (unsigned i = 0; i < kept.size(); ++i) {
        if (kept[i] == i) {
            redirect(i, kept);
        }
    }
}

std::vector<unsigned> ContextClones::themselves() const {
    std::vector<unsigned> all(contexts_.contexts.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace malloom::compiler
