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

/// Whether letters are all of a text, which ends where the first of them is 0.
bool is_length_of_text(const llvm::Value& letters, const llvm::Value& text) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&letters);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    return callee != nullptr && callee->isDeclaration() && callee->getName() == "strlen" &&
           call->getArgOperand(0)->stripPointerCasts() == text.stripPointerCasts();
}

bool is_same(Cell one, Cell other) {
    return one.set == other.set && one.offset == other.offset;
}

}  // namespace

/// A copy of a text by a number of letters goes beyond what is a text, to what lies behind it in an object.
void ConstraintVisitor::copy_letters(llvm::CallBase& call, Cell to) {
    const unsigned last = call.arg_size() - 1;
    if (llvm::Value* letters = call.getArgOperand(last); letters->getType()->isIntegerTy()) {
        to_.copies_.push_back({to, to_.cell_of(call.getArgOperand(last - 1)), constant_of(*letters)});
    }
}

/// Characters go from strings to strings, and to them or outside from other places. They may be any bytes.
void ConstraintVisitor::take_letters(llvm::CallBase& call, const LibraryFunction& function) {
    Cell string;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (function.argument(i) == 'S') {
            const Cell other = sets_.pointee(to_.cell_of(call.getArgOperand(i)));
            if (string) {
                take_letters(call, other, 0, string);
                take_letters(call, string, 0, other);
            }
            string = other;
        }
    }
    for (unsigned i = 0; i + 1 < call.arg_size(); ++i) {
        const llvm::Value &text = *call.getArgOperand(i), &length = *call.getArgOperand(i + 1);
        if (function.argument(i) == 'L' && !is_length_of_text(length, text)) {
            take_letters(call, to_.cell_of(call.getArgOperand(i)), constant_of(length), string);
        }
    }
}

void ConstraintVisitor::take_letters(llvm::CallBase& call, Cell from, uint64_t bytes, Cell to) {
    if (from) {
        to_.letters_.push_back({to, from, bytes, &call});
    }
}

void PointsTo::follow_letters() {
    for (size_t before = SIZE_MAX; before != strings_with_pointers_.size();) {
        before = strings_with_pointers_.size();
        for (const Letters& letters : letters_) {
            follow_letters(letters);
        }
    }
}

/// Letters that have pointers among them may come to lie anywhere in a string, and go anywhere from there:
/// what they lead to escapes, and so does all that is found in a string that has such letters. Of a string
/// that has none so far, what fields lie behind it is not known, which are only copied.
void PointsTo::follow_letters(const Letters& letters) {
    const Cell from = sets_.resolve(letters.from), to = sets_.resolve(letters.to);
    const bool has_pointers = is_string_with_pointers(from);
    const uint64_t bytes = letters.bytes != 0 ? letters.bytes : most_letters(from, has_pointers);
    const Offsets found = pointers_near(*from.set, from.offset, bytes);
    sets_.count(1 + found.size());
    let_escape(from, found, letters.call);
    if (to && (has_pointers || !found.empty())) {
        let_escape(to, pointers_near(*to.set, to.offset, AliasSets::endless_array), letters.call);
        if (!is_string_with_pointers(to)) {
            strings_with_pointers_.push_back(to);
        }
    } else if (to && letters.bytes == 0 && is_in_string(from)) {
        follow_copy({to, from, AliasSets::endless_array});
        follow_copy({from, to, AliasSets::endless_array});
    }
}

/// How many bytes from a place on may be letters, of which nobody knows how many there are: a string has up
/// to 16 in itself, an array as many as it has.
uint64_t PointsTo::most_letters(Cell at, bool has_pointers) const {
    constexpr uint64_t in_string = 16;
    if (is_in_string(at)) {
        return has_pointers ? AliasSets::endless_array : in_string;
    }
    const Region* array = at.set->region_of(at.offset);
    return std::min<uint64_t>(array != nullptr ? array->end - at.offset : UINT64_MAX,
                              AliasSets::endless_array);
}

/// Whether a place is that of a string's characters, to which the string leads.
bool PointsTo::is_in_string(Cell at) const {
    const auto string = at.set->pointers().find(at.set->normal(at.offset - 16));
    return string != at.set->pointers().end() && is_same(sets_.resolve(string->second), at);
}

bool PointsTo::is_string_with_pointers(Cell letters) const {
    return llvm::any_of(strings_with_pointers_,
                        [&](Cell each) { return is_same(sets_.resolve(each), sets_.resolve(letters)); });
}

void PointsTo::let_escape(Cell at, llvm::ArrayRef<int64_t> pointers, const llvm::Instruction* instruction) {
    for (const int64_t offset : pointers) {
        const Cell pointee = sets_.pointee({sets_.resolve(at).set, offset});
        sets_.add_trait(pointee, Trait::escaped, Rule::goes_outside, instruction);
        sets_.add_trait(pointee, Trait::gathered);
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
