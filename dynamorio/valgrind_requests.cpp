#include "dynamorio/valgrind_requests.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

namespace malloom::dynamorio {

namespace {

// rol $3, %rdi; rol $13, %rdi; rol $61, %rdi; rol $51, %rdi; xchg %rbx, %rbx: what every request ends with.
constexpr uint8_t tail[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
                            0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb};

// By the xchg's last bytes, sixteen places at a time: such a pair is rare.
bool has_tail(const uint8_t* code, const uint8_t* end) {
    const __m128i opcode = _mm_set1_epi8(static_cast<char>(0x87));
    const __m128i operands = _mm_set1_epi8(static_cast<char>(0xdb));
    for (const uint8_t* at = code + sizeof tail - 2; at + 17 <= end; at += 16) {
        const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
        unsigned found = static_cast<unsigned>(
            _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(one, opcode), _mm_cmpeq_epi8(next, operands))));
        for (; found != 0; found &= found - 1) {
            if (memcmp(at + __builtin_ctz(found) + 2 - sizeof tail, tail, sizeof tail) == 0) return true;
        }
    }
    return false;
}

bool is_annotation(instr_t* instr) {
    return instr != nullptr && reinterpret_cast<ptr_uint_t>(instr_get_note(instr)) == DR_NOTE_ANNOTATION;
}

// DynamoRIO puts it where the request was, after a label that stands for the call of its handler. Its own
// annotations return in another register.
bool is_answer(instr_t* instr) {
    return is_annotation(instr) && instr_get_opcode(instr) == OP_mov_st &&
           opnd_same(instr_get_dst(instr, 0), opnd_create_reg(DR_REG_XDX));
}

void remove(void* context, instrlist_t* list, instr_t* instr) {
    instrlist_remove(list, instr);
    instr_destroy(context, instr);
}

}  // namespace

void remove_request_answers(void* context, instrlist_t* list) {
    for (instr_t *instr = instrlist_first(list), *next; instr != nullptr; instr = next) {
        next = instr_get_next(instr);
        if (!is_answer(instr)) continue;
        instr_t* const handler = instr_get_prev(instr);
        if (is_annotation(handler)) remove(context, list, handler);
        remove(context, list, instr);
    }
}

bool has_client_requests(const module_data_t* module) {
    constexpr uint code = DR_MEMPROT_READ | DR_MEMPROT_EXEC;
    for (uint i = 0; i < module->num_segments; ++i) {
        const module_segment_data_t& segment = module->segments[i];
        if ((segment.prot & code) == code && has_tail(segment.start, segment.end)) return true;
    }
    return false;
}

}  // namespace malloom::dynamorio
