// operator new and delete of C++, which call malloc at once, not through the C++ library. Apart from it and
// in C++, as only that can throw std::bad_alloc. Those that are left out call these, or malloc and free. The
// program's own come first: each is weak, and calls what C++ has it call.
#include <cstdlib>
#include <new>

[[gnu::weak]] void* operator new(std::size_t bytes) {
    for (;;) {
        if (void* const object = std::malloc(bytes != 0 ? bytes : 1); object != nullptr) [[likely]]
            return object;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}

[[gnu::weak]] void* operator new[](std::size_t bytes) {
    return ::operator new(bytes);
}

[[gnu::weak]] void operator delete(void* object) noexcept {
    std::free(object);
}

[[gnu::weak]] void operator delete(void* object, std::size_t) noexcept {
    ::operator delete(object);
}

[[gnu::weak]] void operator delete[](void* object) noexcept {
    ::operator delete(object);
}

[[gnu::weak]] void operator delete[](void* object, std::size_t) noexcept {
    ::operator delete[](object);
}
