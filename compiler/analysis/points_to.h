// What every pointer of a program may point to: unification-based, field-sensitive by byte offsets, flow- and
// context-insensitive, over a whole program, collecting allocation and release sites in the same pass (Curial
// et al., MPADS, ISMM 2008, section 2.3; Steensgaard, POPL 1996).
//
// Nothing is believed of types. Integers as wide as a pointer are followed like pointers through memory,
// phis, and additions of constants; where one is calculated with otherwise, what it points to is exposed, and
// what is made of the result may point to all that is. Code that is not part of the module may do anything
// that library_functions.def does not say.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/analysis/alias_set.h"
#include "compiler/analysis/near_pointers.h"
#include "compiler/analysis/ways.h"

namespace malloom::compiler {

/// Whether a value has several parts, which may point to different objects: its cell is then a place of its
/// own, with the parts as pointers in it.
bool is_register(const llvm::Type& type);

/// Whether it is the distance between two pointers, which is only divided by the length of elements,
/// compared, taken for the length of what is requested, copied or released, or added to a pointer. That makes
/// no other address.
bool is_distance(const llvm::Instruction& instruction);

/// Whether it is a number with a fraction, or several.
inline bool is_fraction(const llvm::Type& type) {
    return type.isFPOrFPVectorTy();
}

/// Bytes that go from one place to another as they are, also into a value of several parts or out of it; as
/// many as are not known: 0.
struct Copy {
    Cell to, from;
    uint64_t bytes;
    bool is_of_value = false;
};

/// Bytes that a library takes for letters, and carries to a string's characters; without such a place,
/// outside. As many as are not known: 0.
struct Letters {
    Cell to, from;
    uint64_t bytes;
    llvm::CallBase* call;
};

/// An object that a function of a library reads or writes, nobody sees where.
struct LibraryAccess {
    llvm::CallBase* call;
    unsigned argument;
};

/// Code that a function of a library calls back, with pointers that it was given.
struct Callback {
    llvm::CallBase* call;
    llvm::Value* code;
    llvm::SmallVector<llvm::Value*, 2> given;  ///< for its arguments in their order, the last for all others
};

/// From one pointer to another one, so many bytes further: where an array begins, if it leads into one.
struct Step {
    Cell from;
    int64_t bytes;
    Cell to;
    uint64_t array_bytes = 0, stride = 0;
    bool is_known = false;  ///< it begins where an object does, or leads to no other element of an array
};

/// Where an address may lead that indices have found: from so many bytes behind its root on, to elements of
/// `stride` bytes each, and from each of them so many bytes further; without indices, no elements.
struct Walk {
    llvm::Value* root;
    int64_t first = 0;
    uint64_t bytes = 0, stride = 0;
    int64_t in_element = 0;
};

/// From one pointer to another one, as far as it is from one value to another.
struct StepByDistance {
    Cell from;
    llvm::Value *begin, *end;
    Cell to;
};

/// All requests that pools may serve give objects at multiples of it.
constexpr uint64_t object_alignment = 16;

/// The lowest bits of an address change: they are set or exchanged, as marks of it, or cleared.
struct Tag {
    llvm::Instruction* instruction;
    llvm::Value* address;
    uint64_t bits;
    bool clears;
    bool is_calculated = false;  ///< it may lead to another place
};

/// The values that an index may have.
using RangeOf = std::function<llvm::ConstantRange(llvm::Value& index, llvm::Function& function)>;

/// A call of a function that is not among those that are looked at.
struct OuterCall {
    llvm::CallBase* call;
    llvm::Function* callee;
};

/// How many steps the analysis may take for each instruction and each constant that initialises a variable
/// before it tells less apart. Real programs that were tried take less than a third of it.
constexpr uint64_t default_patience = 400;

class PointsTo {
  public:
    /// Of a module that is the whole program as the linker sees it: what others may call or change is not
    /// internal. The module must outlive this, and stay as it is.
    PointsTo(llvm::Module& module, RangeOf range_of, uint64_t patience = default_patience);
    /// Of some functions of a module alone, in so many steps at most: what they call is not followed, and
    /// whatever variables and arguments that come from code which is not seen lead to counts as escaped.
    PointsTo(llvm::Module& module, llvm::ArrayRef<llvm::Function*> functions, RangeOf range_of,
             uint64_t most_steps);

    /// Goes on until nothing changes any more. To be called again by whoever unifies sets from outside.
    void solve();

    /// What a value of the program may point to; no set for what carries no pointer.
    Cell at(const llvm::Value* value) const;
    /// What a function's result may point to; no set where it has none, or no call of it was seen.
    Cell result_of(const llvm::Function* function) const;
    /// Where some functions alone are looked at: their direct calls of others.
    const std::vector<OuterCall>& outer_calls() const { return outer_calls_; }
    const std::vector<Access>& accesses() const { return accesses_; }
    const std::vector<LibraryAccess>& library_accesses() const { return library_accesses_; }
    AliasSets& sets() const { return sets_; }
    const llvm::Module& module() const { return module_; }
    const Ways& ways() const { return ways_; }
    /// What its steps are counted by: instructions, and constants that initialise variables.
    uint64_t size() const { return size_; }

  private:
    friend class ConstraintVisitor;

    Cell cell_of(llvm::Value* value);
    Cell cell_of_constant(llvm::Constant* constant);
    Cell cell_of_expression(llvm::Constant& expression);
    void take_operand(llvm::Value& operand);
    Cell object_of(llvm::GlobalValue* global);
    Cell offset_by(llvm::GEPOperator& address, Cell base);
    Cell one_of(Cell base, const Way& way);
    Cell by_distance(Cell base, const llvm::Instruction& distance);
    std::optional<Walk> walk_of(llvm::GEPOperator& address, unsigned depth = 0);
    bool take_index(Walk& walk, const llvm::Instruction& address, const Way& way) const;
    Cell within_array(const Walk& walk);
    Cell root_cell(llvm::Value* root);
    void take_initializer(llvm::Constant* value, Cell at);
    void take_pointers_of(llvm::Value* value, Cell at);
    void take_parts(Cell one, Cell other, uint64_t bytes);
    bool is_command_line(const llvm::Argument& argument) const;
    void take_command_line(llvm::Argument& argument);
    void connect(llvm::CallBase& call, llvm::Function& function);
    const std::optional<llvm::SmallVector<const llvm::Value*, 2>>& formats_of(const llvm::Function& function);
    void escape(llvm::Value* value, Rule rule, const llvm::Instruction* at);
    void expose(Cell cell, const llvm::Instruction* at);

    /// What something was last followed for, to no effect: nothing is to be done for it while that is as it
    /// was.
    struct Followed {
        const AliasSet *one = nullptr, *other = nullptr;
        uint64_t one_version = 0, other_version = 0;

        static Followed of(Cell one, Cell other = {});
        bool operator==(const Followed&) const = default;
    };

    /// The functions of one set that calls lead to. Their arguments of one number are one set once a call
    /// gives it something that may carry pointers; and what they return, once a call takes it.
    struct CalledCode {
        struct Carried {
            Cell cell;  ///< of the first function that has it
            bool is_used = false;
        };
        llvm::SmallVector<llvm::Function*, 4> functions;  ///< the first ones of the set, but those not seen
        size_t looked_at = 0;                             ///< of the set's functions
        llvm::SmallVector<Carried, 4> arguments;
        Carried result;
        bool has_results = false;
    };
    /// What an indirect call was last connected with.
    struct Connected {
        const AliasSet* set = nullptr;
        size_t functions = 0;
    };

    void follow_copies();
    void follow_copy(const Copy& copy);
    void make_elements_alike(Cell one, Cell other);
    void follow_indirect_calls();
    void join_functions(CalledCode& code, Cell callee, llvm::CallBase& call);
    void join(CalledCode::Carried& carried, Cell of_function);
    void join_argument(CalledCode::Carried& argument, llvm::Function& function, unsigned number);
    void join_result(CalledCode& code, llvm::Function& function);
    void connect(CalledCode& code, llvm::CallBase& call);
    void connect_argument(CalledCode& code, llvm::CallBase& call, unsigned number);
    void connect_result(CalledCode& code, llvm::CallBase& call);
    void follow_callbacks();
    void call_back(const Callback& callback, llvm::Function& function);
    void follow_numbers();
    void follow_differences();
    llvm::SmallVector<Cell> carried_by(llvm::Value& value);
    void add_trait_of(llvm::Instruction& value, Trait trait);
    void follow_gathered();
    void follow_tags();
    /// The least alignment of the bytes of any access, by the object's set.
    using Alignments = llvm::DenseMap<const AliasSet*, uint64_t>;
    Alignments alignments_of_sets() const;
    bool may_lead_elsewhere(const Tag& tag, Cell at, std::optional<Alignments>& alignments) const;
    void follow_steps();
    void follow_step_in_array(Cell at, const Step& step);
    void follow_distances();
    bool follow_by_distance(const StepByDistance& step);
    void follow_outside();
    void follow_letters();
    void follow_letters(const Letters& letters);
    uint64_t most_letters(Cell at, bool has_pointers) const;
    bool is_in_string(Cell at) const;
    bool is_string_with_pointers(Cell letters) const;
    void let_escape(Cell at, llvm::ArrayRef<int64_t> pointers, const llvm::Instruction* instruction);
    void follow_exposed();
    std::optional<const llvm::Instruction*> use_as_address(Trait trait);
    void follow_partial_accesses();
    void follow_partial_access(const Access& access, bool is_text, Followed& followed);
    bool follow_parts(const Access& access);
    Offsets pointers_cut_by(const Access& access, Cell at);
    Offsets find_cut(const Access& access, Cell at);
    void take_part(Cell pointee, const Access& access);
    void follow_elements(Cell at, uint64_t bytes);
    void spread_escapes();

    bool is_looked_at(const llvm::Function& function) const {
        return functions_.empty() || functions_.contains(&function);
    }

    llvm::Module& module_;
    Ways ways_{module_.getDataLayout()};
    RangeOf range_of_;
    llvm::SmallPtrSet<const llvm::Function*, 4> functions_;  ///< that alone are looked at; none: all are
    std::vector<OuterCall> outer_calls_;
    mutable AliasSets sets_;
    llvm::DenseMap<const llvm::Value*, Cell> values_;
    llvm::DenseMap<const llvm::Function*, Cell> results_;
    /// Of functions with unnamed arguments that were asked for: `formats_of_printing`.
    std::map<const llvm::Function*, std::optional<llvm::SmallVector<const llvm::Value*, 2>>> formats_;
    llvm::StringMap<Cell> kept_;  ///< by functions of libraries: what they were given
    std::vector<Access> accesses_;
    std::vector<Copy> copies_;
    /// Of a set as it was: the pointers that accesses cut which are alike, of as many bytes from the same
    /// offset on.
    struct Cuts {
        uint64_t version = 0;
        std::map<std::tuple<int64_t, uint64_t, bool>, Offsets> pointers = {};
    };
    llvm::DenseMap<const AliasSet*, Cuts> cuts_;
    std::vector<Followed> followed_accesses_, followed_texts_, followed_copies_;  ///< of each of them
    std::vector<LibraryAccess> library_accesses_;
    std::vector<Step> steps_;
    std::vector<Tag> tags_;
    std::vector<llvm::BinaryOperator*> differences_;  ///< of numbers that may be addresses
    std::vector<std::pair<llvm::Instruction*, llvm::Value*>>
        byte_indices_;                                              ///< addresses, and what is added to them
    std::vector<std::pair<llvm::Value*, llvm::Value*>> distances_;  ///< between these, as numbers
    std::vector<StepByDistance> steps_by_distance_;
    bool widens_ = false;         ///< the analysis has gone on for long: what goes on is made coarse
    bool widens_copies_ = false;  ///< for longer
    uint64_t size_ = 0;
    std::vector<llvm::CallBase*> indirect_calls_;
    llvm::DenseMap<const AliasSet*, CalledCode> called_code_;
    std::vector<Connected> connected_;
    std::vector<Callback> callbacks_;
    std::vector<std::pair<Cell, llvm::Instruction*>> carried_outside_;  ///< as bytes that may come back
    std::vector<Letters> letters_;
    std::vector<Cell> strings_with_pointers_;  ///< their characters, that have come from other places
    llvm::SetVector<llvm::Value*> unseen_;     ///< that code which is not seen gets
    std::vector<std::pair<llvm::Value*, llvm::Instruction*>> numbers_;  ///< operands of calculations
    std::vector<std::pair<llvm::Value*, llvm::CallBase*>> printed_;  ///< as text, by the program's functions
    std::vector<llvm::Instruction*> calculations_;                   ///< of whatever
    std::vector<llvm::Instruction*> counts_;  ///< numbers that get wider, or a constant is added to
    std::vector<Access> texts_;               ///< by functions of libraries, from the cells on
    bool takes_apart_ =
        false;  ///< parts of addresses are where they are not followed: other numbers, or text
};

}  // namespace malloom::compiler
