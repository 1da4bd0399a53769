#include "compiler/transform/expected_links.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace malloom::compiler {

namespace {

constexpr const char* noted = "malloom.link";

/// What guesses earn is counted in right ones: each spares three or four of the five cycles that a load from
/// the first level takes, and more of all others. A wrong one costs a mispredicted branch, some fifteen
/// cycles or more.
constexpr int32_t price_of_wrong = 6;
/// A short walk does not wait for its links: the processor is at the next walk meanwhile, as many
/// instructions ahead as it holds (some hundreds).
constexpr int32_t price_of_walk = 32;
/// What a loop may have saved up, and begins with. Having spent it, it never guesses again.
constexpr int32_t most_credit = 1024;
/// Beyond this a loop does so much for each object that a processor overlaps it with the wait for a link from
/// near caches, however it guesses: five cycles of six instructions each, and twice that to be sure.
constexpr unsigned most_instructions = 64;

/// A loop that follows a link: the object that each round begins with, and the load of the next one.
struct Walk {
    llvm::Loop* loop = nullptr;
    llvm::PHINode* object = nullptr;
    llvm::LoadInst* link = nullptr;
};

bool is_noted(const llvm::Value* value) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    return load != nullptr && load->isSimple() && load->hasMetadata(noted);
}

/// Whether rounds are short, and nothing in them is as long as a call.
bool waits_for_links(const llvm::Loop& loop) {
    unsigned instructions = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const llvm::Instruction& instruction : block->instructionsWithoutDebug()) {
            if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) {
                return false;
            }
            ++instructions;
        }
    }
    return instructions <= most_instructions;
}

/// The first one that may be rewritten; none is null.
Walk find_walk(llvm::LoopInfo& loops) {
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        llvm::BasicBlock* latch = loop->getLoopLatch();
        if (!loop->isInnermost() || latch == nullptr || !loop->isSafeToClone() || !waits_for_links(*loop) ||
            !llvm::isa<llvm::BranchInst>(latch->getTerminator())) {
            continue;
        }
        for (llvm::PHINode& object : loop->getHeader()->phis()) {
            llvm::Value* next = object.getIncomingValueForBlock(latch);
            if (is_noted(next) && loop->contains(llvm::cast<llvm::LoadInst>(next))) {
                return {loop, &object, llvm::cast<llvm::LoadInst>(next)};
            }
        }
    }
    return {};
}

/// What a loop knows from its earlier walks. Threads share it, and write only what has changed; whatever they
/// make of it costs time alone.
struct Memory {
    llvm::GlobalVariable* credit;    ///< int32: below 0 nothing is guessed
    llvm::GlobalVariable* distance;  ///< intptr: from an object to the expected one
};

llvm::GlobalVariable* add_variable(llvm::Module& module, llvm::Constant* value) {
    return new llvm::GlobalVariable(module, value->getType(), false, llvm::GlobalValue::PrivateLinkage, value,
                                    "malloom.expected");
}

llvm::Value* load(llvm::IRBuilder<>& code, llvm::GlobalVariable* variable) {
    llvm::LoadInst* found = code.CreateLoad(variable->getValueType(), variable);
    found->setAtomic(llvm::AtomicOrdering::Monotonic);
    return found;
}
void store(llvm::IRBuilder<>& code, llvm::Value* value, llvm::GlobalVariable* variable) {
    code.CreateStore(value, variable)->setAtomic(llvm::AtomicOrdering::Monotonic);
}

/// Makes two loops of one: the loop as it was, and one that guesses, which goes over to the other when it has
/// spent its credit.
class ExpectingWalk {
  public:
    /// The loop is simplified, and values leave it by phis alone.
    ExpectingWalk(const Walk& walk, llvm::LoopInfo& loops, llvm::DominatorTree& dominators)
        : plain_(*walk.loop),
          plain_object_(*walk.object),
          plain_link_(*walk.link),
          module_(*walk.object->getModule()),
          number_(module_.getDataLayout().getIntPtrType(walk.object->getType())),
          count_(llvm::Type::getInt32Ty(module_.getContext())) {
        const auto* bytes =
            llvm::mdconst::extract<llvm::ConstantInt>(plain_link_.getMetadata(noted)->getOperand(0));
        memory_ = {add_variable(module_, llvm::ConstantInt::get(count_, most_credit)),
                   add_variable(module_, llvm::ConstantInt::get(number_, bytes->getZExtValue()))};
        plain_link_.setMetadata(noted, nullptr);
        copy(loops, dominators);
    }

    void rewrite() {
        carry();
        llvm::BasicBlock* back = llvm::SplitEdge(latch_, header_);
        llvm::BasicBlock* wrong = guess(*back);
        learn(*wrong, *back);
        for (llvm::PHINode& phi : header_->phis()) {
            phi.removeIncomingValue(back, false);
        }
        settle();
    }

  private:
    template <class Value>
    Value* copied(Value* value) const {
        llvm::Value* found = copies_.lookup(value);
        return llvm::cast<Value>(found != nullptr ? found : value);
    }

    /// Before both loops it is decided which one the walk takes.
    void copy(llvm::LoopInfo& loops, llvm::DominatorTree& dominators) {
        llvm::BasicBlock* entry = plain_.getLoopPreheader();
        llvm::BasicBlock* before = llvm::SplitBlock(entry, entry->getTerminator(), &dominators, &loops);
        llvm::SmallVector<llvm::BasicBlock*> blocks;
        llvm::cloneLoopWithPreheader(before, entry, &plain_, copies_, ".expecting", &loops, &dominators,
                                     blocks);
        llvm::remapInstructionsInBlocks(blocks, copies_);
        preheader_ = copied(before);
        header_ = copied(plain_.getHeader());
        latch_ = copied(plain_.getLoopLatch());
        entry->getTerminator()->eraseFromParent();
        llvm::IRBuilder<> code(entry);
        credit_at_first_ = load(code, memory_.credit);
        code.CreateCondBr(code.CreateICmpSLT(credit_at_first_, zero()), before, preheader_);
        leave_alike();
    }

    /// The copy goes where the loop goes.
    void leave_alike() {
        llvm::SmallVector<llvm::Loop::Edge> exits;
        plain_.getExitEdges(exits);
        for (const auto& [from, to] : exits) {
            exits_.push_back({copied(from), to});
            for (llvm::PHINode& phi : to->phis()) {
                phi.addIncoming(copied(phi.getIncomingValueForBlock(from)), copied(from));
            }
        }
    }

    llvm::Constant* zero() const { return llvm::ConstantInt::get(count_, 0); }
    llvm::Constant* constant(int32_t value) const { return llvm::ConstantInt::getSigned(count_, value); }

    /// What the rounds carry; the values of their ends are filled in as these come about.
    void carry() {
        llvm::IRBuilder<> code(preheader_->getTerminator());
        distance_at_first_ = load(code, memory_.distance);
        distance_ = add_phi(distance_at_first_);
        last_ = add_phi(distance_at_first_);
        right_ = add_phi(zero());
        credit_ = add_phi(credit_at_first_);
    }
    llvm::PHINode* add_phi(llvm::Value* at_first) {
        llvm::PHINode* phi = llvm::PHINode::Create(at_first->getType(), 3, "", header_->begin());
        phi->addIncoming(at_first, preheader_);
        phi->addIncoming(llvm::PoisonValue::get(at_first->getType()), latch_);
        return phi;
    }

    llvm::BasicBlock* add_block() const {
        return llvm::BasicBlock::Create(module_.getContext(), "", header_->getParent(), header_);
    }
    llvm::Value* object() const { return copied(&plain_object_); }
    llvm::Value* link() const { return copied(&plain_link_); }

    struct Round {
        llvm::Value *object, *distance, *last, *right, *credit;
    };
    /// The value that a phi of the copy has in the next round.
    llvm::Value* next_of(const llvm::PHINode& phi, const Round& next, const llvm::BasicBlock& back) const {
        return &phi == object()    ? next.object
               : &phi == distance_ ? next.distance
               : &phi == last_     ? next.last
               : &phi == right_    ? next.right
               : &phi == credit_   ? next.credit
                                   : phi.getIncomingValueForBlock(&back);
    }
    void begin_round(llvm::BasicBlock& from, const Round& next, const llvm::BasicBlock& back) {
        for (llvm::PHINode& phi : header_->phis()) {
            phi.addIncoming(next_of(phi, next, back), &from);
        }
    }

    /// Where the guess is right the next round begins with it. It is hidden from the compiler that it is the
    /// link: who knew would wait for the link again. Returns the block of wrong guesses.
    llvm::BasicBlock* guess(llvm::BasicBlock& back) {
        llvm::BasicBlock *same = add_block(), *wrong = add_block();
        back.getTerminator()->eraseFromParent();
        llvm::IRBuilder<> code(&back);
        code.SetCurrentDebugLocation(plain_link_.getDebugLoc());
        llvm::Value* expected = code.CreateGEP(code.getInt8Ty(), object(), distance_);
        code.CreateCondBr(code.CreateICmpEQ(link(), expected), same, wrong,
                          llvm::MDBuilder(module_.getContext()).createBranchWeights(64, 1));
        code.SetInsertPoint(same);
        llvm::Type* pointer = plain_object_.getType();
        auto* nothing =
            llvm::InlineAsm::get(llvm::FunctionType::get(pointer, {pointer}, false), "", "=r,0", true);
        llvm::Value* hidden = code.CreateCall(nothing, {expected});
        llvm::Value* right = code.CreateAdd(right_, constant(1));
        begin_round(*same, {hidden, distance_, last_, right, credit_}, back);
        code.CreateBr(header_);
        return wrong;
    }

    llvm::Value* earned(llvm::IRBuilder<>& code, int32_t price) {
        llvm::Value* of_right =
            code.CreateBinaryIntrinsic(llvm::Intrinsic::umin, right_, constant(most_credit));
        llvm::Value* sum = code.CreateAdd(credit_, code.CreateSub(of_right, constant(price)));
        return code.CreateBinaryIntrinsic(llvm::Intrinsic::smin, sum, constant(most_credit));
    }

    /// A distance is expected once it has come twice in a row: where one object lies elsewhere, the others go
    /// on as before.
    void learn(llvm::BasicBlock& wrong, const llvm::BasicBlock& back) {
        llvm::BasicBlock* spent = add_block();
        llvm::IRBuilder<> code(&wrong);
        code.SetCurrentDebugLocation(plain_link_.getDebugLoc());
        llvm::Value* distance =
            code.CreateSub(code.CreatePtrToInt(link(), number_), code.CreatePtrToInt(object(), number_));
        llvm::Value* expected = code.CreateSelect(code.CreateICmpEQ(distance, last_), distance, distance_);
        llvm::Value* credit = earned(code, price_of_wrong);
        code.CreateCondBr(code.CreateICmpSLT(credit, zero()), spent, header_);
        begin_round(wrong, {link(), expected, distance, zero(), credit}, back);

        code.SetInsertPoint(spent);
        store(code, constant(-1), memory_.credit);
        llvm::BasicBlock* plain_latch = plain_.getLoopLatch();
        for (llvm::PHINode& phi : plain_.getHeader()->phis()) {
            phi.addIncoming(copied(phi.getIncomingValueForBlock(plain_latch)), spent);
        }
        code.CreateBr(plain_.getHeader());
    }

    /// At the end of a walk.
    void settle() {
        for (const auto& [from, to] : exits_) {
            llvm::BasicBlock* end = llvm::SplitEdge(from, to);
            llvm::IRBuilder<> code(end->getTerminator());
            llvm::Value* credit = earned(code, price_of_walk);
            llvm::Value* has_changed = code.CreateOr(code.CreateICmpNE(credit, credit_at_first_),
                                                     code.CreateICmpNE(distance_, distance_at_first_));
            code.SetInsertPoint(
                llvm::SplitBlockAndInsertIfThen(has_changed, end->getTerminator()->getIterator(), false));
            store(code, credit, memory_.credit);
            store(code, distance_, memory_.distance);
        }
    }

    llvm::Loop& plain_;
    llvm::PHINode& plain_object_;
    llvm::LoadInst& plain_link_;
    llvm::Module& module_;
    llvm::Type* number_;
    llvm::Type* count_;
    Memory memory_;
    llvm::ValueToValueMapTy copies_;
    llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> exits_;  ///< of the copy
    llvm::BasicBlock *preheader_ = nullptr, *header_ = nullptr, *latch_ = nullptr;
    llvm::Value *credit_at_first_ = nullptr, *distance_at_first_ = nullptr;
    llvm::PHINode* distance_ = nullptr;
    llvm::PHINode* last_ = nullptr;    ///< the distance of the last wrong guess
    llvm::PHINode* right_ = nullptr;   ///< guesses since
    llvm::PHINode* credit_ = nullptr;  ///< as it was then
};

/// Only processors that go on behind a branch they have guessed gain by it.
bool guesses_branches(const llvm::Module& module) {
    const llvm::Triple triple(module.getTargetTriple());
    return triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64();
}

}  // namespace

void note_link(llvm::LoadInst& load, uint64_t element_bytes) {
    llvm::LLVMContext& context = load.getContext();
    auto* bytes = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), element_bytes);
    load.setMetadata(noted, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(bytes)));
}

bool has_links(const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function),
                        [](const llvm::Instruction& instruction) { return is_noted(&instruction); });
}

bool expect_links(llvm::Function& function, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
                  llvm::OptimizationRemarkEmitter& remarks) {
    if (function.hasOptSize() || !guesses_branches(*function.getParent())) {
        return false;
    }
    bool has_changed = false;
    for (Walk walk = find_walk(loops); walk.loop != nullptr; walk = find_walk(loops)) {
        has_changed = true;
        llvm::simplifyLoop(walk.loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
        walk = find_walk(loops);  // as it is now
        if (walk.loop == nullptr) {
            break;
        }
        if (!walk.loop->isLoopSimplifyForm()) {
            walk.link->setMetadata(noted, nullptr);
            continue;
        }
        llvm::formLCSSA(*walk.loop, dominators, &loops, nullptr);
        remarks.emit([&] {
            return llvm::OptimizationRemark("malloom", "ExpectedLink", walk.link)
                   << "the walk goes on with the object that it expects, and compares it with the link";
        });
        ExpectingWalk(walk, loops, dominators).rewrite();
        dominators.recalculate(function);
        loops.releaseMemory();
        loops.analyze(dominators);
    }
    return has_changed;
}

}  // namespace malloom::compiler
