#include "record/dynamorio/shape_builder.h"

#include "record/dynamorio/shape_registry.h"

namespace malloom::accesses {

namespace {

bool writes(instr_t* instr, reg_id_t used) {
    return used != DR_REG_NULL && instr_writes_to_reg(instr, used, DR_QUERY_INCLUDE_ALL);
}

}  // namespace

int ShapeBuilder::find(opnd_t operand) const {
    for (unsigned i = 0; i < bases_; ++i) {
        const SharedBase& shared = shared_[i];
        if (shared.valid && shared.base == opnd_get_base(operand) &&
            shared.index == opnd_get_index(operand) && shared.scale == opnd_get_scale(operand))
            return static_cast<int>(i);
    }
    return -1;
}

unsigned ShapeBuilder::add_base(opnd_t operand, bool shareable) {
    shared_[bases_] = {opnd_get_base(operand), opnd_get_index(operand), opnd_get_scale(operand), shareable};
    return bases_++;
}

void ShapeBuilder::add_access(unsigned base, int offset, unsigned tag) {
    accesses_[count_++] = {offset, static_cast<uint8_t>(base), static_cast<uint8_t>(tag)};
}

void ShapeBuilder::pass(instr_t* instr) {
    for (unsigned i = 0; i < bases_; ++i) {
        SharedBase& shared = shared_[i];
        if (writes(instr, shared.base) || writes(instr, shared.index)) shared.valid = false;
    }
}

uint32_t ShapeBuilder::finish() const {
    return count_ == 0 ? no_shape : register_shape(bases_, accesses_, count_);
}

}  // namespace malloom::accesses
