#include "record/dynamorio/valgrind_requests.h"

namespace malloom::accesses {

namespace {

bool of_annotation(instr_t* instr) {
    return instr != nullptr && reinterpret_cast<ptr_uint_t>(instr_get_note(instr)) == DR_NOTE_ANNOTATION;
}

// DynamoRIO puts it where the request was, after a label that stands for the call of its handler. Its own
// annotations return in another register.
bool stands_for_answer(instr_t* instr) {
    return of_annotation(instr) && instr_get_opcode(instr) == OP_mov_st &&
           opnd_same(instr_get_dst(instr, 0), opnd_create_reg(DR_REG_XDX));
}

void leave_out(void* context, instrlist_t* list, instr_t* instr) {
    instrlist_remove(list, instr);
    instr_destroy(context, instr);
}

}  // namespace

void leave_unanswered(void* context, instrlist_t* list) {
    for (instr_t *instr = instrlist_first(list), *next; instr != nullptr; instr = next) {
        next = instr_get_next(instr);
        if (!stands_for_answer(instr)) continue;
        instr_t* const handler = instr_get_prev(instr);
        if (of_annotation(handler)) leave_out(context, list, handler);
        leave_out(context, list, instr);
    }
}

}  // namespace malloom::accesses
