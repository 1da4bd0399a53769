// operator new of the tests' program, as C++ has it: it asks the program's handler, and throws. The
// sanitizers' own does neither. Requests by new[] and with alignments stay theirs.
#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes) {
    for (;;) {
        if (void* made = std::malloc(bytes != 0 ? bytes : 1); made != nullptr) {
            return made;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) {
            throw std::bad_alloc();
        }
        handler();
    }
}
void operator delete(void* object) noexcept {
    std::free(object);
}
void operator delete(void* object, std::size_t) noexcept {
    std::free(object);
}
