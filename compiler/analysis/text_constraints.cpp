// What texts that are copied or written say of pointers: they may have an address in them.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>

#include "compiler/analysis/constraints.h"

namespace malloom::compiler {

namespace {

/// Whether a format may ask for what the letter stands for: p addresses, s text. Null: any may.
bool asks_for(char what, const llvm::Value* format) {
    llvm::StringRef text;
    if (format == nullptr || !llvm::getConstantStringInfo(format, text)) {
        return true;
    }
    for (size_t at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
        const auto is_part = [](char letter) {
            return letter == ' ' || llvm::StringRef("0123456789.*-+#'hlLqjzt$").contains(letter);
        };
        do {
            ++at;
        } while (at < text.size() && is_part(text[at]));
        if (at < text.size() && text[at] == what) {
            return true;
        }
    }
    return false;
}

}  // namespace

/// A copy of a text by a number of letters goes beyond what is a text, to what lies behind it in an object.
void ConstraintVisitor::copy_letters(llvm::CallBase& call, Cell to) {
    const unsigned last = call.arg_size() - 1;
    if (llvm::Value* letters = call.getArgOperand(last); letters->getType()->isIntegerTy()) {
        to_.copies_.push_back({to, to_.cell_of(call.getArgOperand(last - 1)), constant_of(*letters)});
    }
}

/// What is written as text may be read again, and so may text that is an address's bytes.
void ConstraintVisitor::take_text(llvm::CallBase& call, unsigned number) {
    llvm::Value& given = *call.getArgOperand(number);
    const bool is_pointer = given.getType()->isPointerTy();
    const unsigned named = call.getFunctionType()->getNumParams();
    const llvm::Value* format = number >= named && named != 0 ? call.getArgOperand(named - 1) : nullptr;
    if (format != nullptr && (!is_pointer || asks_for('p', format))) {
        to_.numbers_.emplace_back(&given, &call);
    }
    if (is_pointer && (format == nullptr || asks_for('s', format))) {
        to_.texts_.push_back({&call, to_.cell_of(&given), 1, false});
    }
}

/// The same of an argument of the program's own function, by formats that are arguments of it or constants.
void ConstraintVisitor::take_printed(llvm::CallBase& call, llvm::Value& given,
                                     llvm::ArrayRef<const llvm::Value*> formats) {
    const auto may_ask_for = [&](char what) {
        return llvm::any_of(formats, [&](const llvm::Value* format) {
            const auto* named = llvm::dyn_cast_or_null<llvm::Argument>(format);
            const bool is_given = named != nullptr && named->getArgNo() < call.arg_size();
            return asks_for(what, is_given ? call.getArgOperand(named->getArgNo()) : format);
        });
    };
    const bool is_pointer = given.getType()->isPointerTy();
    if (!formats.empty() && (!is_pointer || may_ask_for('p'))) {
        to_.printed_.emplace_back(&given, &call);
    }
    if (is_pointer && may_ask_for('s')) {
        to_.texts_.push_back({&call, to_.cell_of(&given), 1, false});
    }
}

/// Whether all is known that a function with unnamed arguments does with them: it has them written as text.
bool ConstraintVisitor::take_printing_call(llvm::CallBase& call, const llvm::Function& callee) {
    const std::optional<llvm::SmallVector<const llvm::Value*, 2>> formats = to_.formats_of(callee);
    if (!formats) {
        return false;
    }
    for (unsigned i = callee.arg_size(); i < call.arg_size(); ++i) {
        llvm::Value* given = call.getArgOperand(i);
        if (call.isByValArgument(i)) {
            to_.escape(given, Rule::unnamed_argument, &call);
        } else if (to_.cell_of(given) && !is_fraction(*given->getType())) {
            to_.library_accesses_.push_back({&call, i});
            take_printed(call, *given, *formats);
        }
    }
    return true;
}

}  // namespace malloom::compiler
