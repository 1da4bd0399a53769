#include "record/accesses/shapes.h"

#include <string.h>

#include "formats/context_hash.h"

namespace malloom::accesses {

using stream::AccessShape;
using stream::ShapedAccess;

namespace {

constexpr size_t table_entries = size_t{most_shapes} * 2;

void* lock;
AccessShape* shapes;  // by id; id 0 is no_shape
uint32_t* table;      // open addressing by the accesses' hash; 0: empty
uint32_t shape_count = 1;
uint32_t slot_count;

// Reserved for the largest program, but touched only as far as it is used.
void* reserve(size_t bytes) {
    return dr_raw_mem_alloc(bytes, DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr);
}

uint64_t hash_of(const ShapedAccess* accesses, unsigned count) {
    uint64_t hash = count;
    for (unsigned i = 0; i < count; ++i) {
        const auto offset = static_cast<uint32_t>(accesses[i].offset);
        hash =
            formats::mix(hash ^ (uint64_t{offset} << 16 | uint64_t{accesses[i].base} << 8 | accesses[i].tag));
    }
    return hash;
}

bool same(const AccessShape& known, const ShapedAccess* accesses, unsigned count) {
    if (known.count != count) return false;
    for (unsigned i = 0; i < count; ++i)
        if (known.accesses[i] != accesses[i]) return false;
    return true;
}

uint32_t add(unsigned bases, const ShapedAccess* accesses, unsigned count) {
    if (shape_count == most_shapes || slot_count + bases > most_slots) return no_shape;
    auto* const kept = static_cast<ShapedAccess*>(dr_global_alloc(count * sizeof(ShapedAccess)));
    auto* const offsets = static_cast<int32_t*>(dr_global_alloc(bases * sizeof(int32_t)));
    memcpy(kept, accesses, count * sizeof(ShapedAccess));
    for (unsigned i = count; i-- > 0;) offsets[accesses[i].base] = accesses[i].offset;
    shapes[shape_count] = {
        shape_count, slot_count, static_cast<uint16_t>(bases), static_cast<uint16_t>(count), kept, offsets};
    slot_count += bases;
    return shape_count++;
}

// Id of the shape with these accesses, made if need be; no_shape when a bound is reached.
uint32_t register_shape(unsigned bases, const ShapedAccess* accesses, unsigned count) {
    dr_mutex_lock(lock);
    size_t at = hash_of(accesses, count) % table_entries;
    while (table[at] != 0 && !same(shapes[table[at]], accesses, count)) at = (at + 1) % table_entries;
    if (table[at] == 0) table[at] = add(bases, accesses, count);
    const uint32_t id = table[at];
    dr_mutex_unlock(lock);
    return id;
}

bool writes(instr_t* instr, reg_id_t used) {
    return used != DR_REG_NULL && instr_writes_to_reg(instr, used, DR_QUERY_INCLUDE_ALL);
}

}  // namespace

bool init_shapes() {
    lock = dr_mutex_create();
    shapes = static_cast<AccessShape*>(reserve(most_shapes * sizeof(AccessShape)));
    table = static_cast<uint32_t*>(reserve(table_entries * sizeof(uint32_t)));
    return shapes != nullptr && table != nullptr;
}

const AccessShape& shape(uint32_t id) {
    return shapes[id];
}

uint32_t shape_without(uint32_t id, uint64_t dropped) {
    const AccessShape& whole = shapes[id];
    uint8_t renumbered[AccessShape::most_bases];
    unsigned bases = 0, count = 0;
    for (unsigned i = 0; i < whole.bases; ++i) {
        renumbered[i] = static_cast<uint8_t>(bases);
        bases += (dropped >> i & 1) == 0;
    }
    ShapedAccess left[AccessShape::most_accesses];
    for (unsigned i = 0; i < whole.count; ++i) {
        if ((dropped >> whole.accesses[i].base & 1) != 0) continue;
        left[count] = whole.accesses[i];
        left[count++].base = renumbered[whole.accesses[i].base];
    }
    return count == 0 ? no_shape : register_shape(bases, left, count);
}

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
