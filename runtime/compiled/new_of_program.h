// What an operator new of ours does where it gets no memory, as C++ has it ([new.delete.single]).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::compiled {

// The program's: whoever calls what needs them has them.
[[gnu::weak]] void* operator_new_of_program(size_t bytes) __asm__("_Znwm");
[[gnu::weak]] void (*new_handler_of_program())() __asm__("_ZSt15get_new_handlerv");

/// What `ask` gives, which the program's handler may help by freeing memory; throws std::bad_alloc where
/// there is no handler, and what the handler throws.
template <class Ask>
void* ask_as_new(Ask ask) {
    for (;;) {
        if (void* made = ask(); made != nullptr) {
            return made;
        }
        void (*handler)() = new_handler_of_program != nullptr ? new_handler_of_program() : nullptr;
        if (handler == nullptr) {
            return operator_new_of_program(SIZE_MAX / 2);  // throws
        }
        handler();
    }
}

}  // namespace malloom::compiled
