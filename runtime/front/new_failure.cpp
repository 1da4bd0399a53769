#include "runtime/front/new_failure.h"

#include <dlfcn.h>

#include <new>

#include "runtime/platform/output.h"

namespace malloom::front {

namespace {

using NewHandler = void (*)();

// Where one was loaded by dlopen for a plug-in, it is not in the global scope.
void* find_in_library(const char* name) {
    static const char* const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    for (const char* library : libraries) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (handle != nullptr) {
            return dlsym(handle, name);
        }
    }
    return nullptr;
}

// libstdc++ and libc++ both export std::get_new_handler and std::__throw_bad_alloc under these names. Looked
// up only on failure: a weak reference would be one more relocation at every start.
void* find_in_process(const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    return found != nullptr ? found : find_in_library(name);
}

NewHandler new_handler() {
    auto get_handler = reinterpret_cast<NewHandler (*)()>(find_in_process("_ZSt15get_new_handlerv"));
    return get_handler != nullptr ? get_handler() : nullptr;
}

}  // namespace

void make_room_or_throw() {
    if (NewHandler handler = new_handler()) {
        handler();
        return;
    }
    auto throw_bad_alloc = reinterpret_cast<void (*)()>(find_in_process("_ZSt17__throw_bad_allocv"));
    if (throw_bad_alloc != nullptr) {
        throw_bad_alloc();
    }
    platform::abort_with("malloom: operator new: out of memory, and no C++ library to throw std::bad_alloc");
}

// There are no exceptions here to catch any with.
void* create_by_library(size_t bytes, NothrowForm form) {
    const std::nothrow_t nothrow{};
    if (form.alignment == 0) {
        using Create = void* (*)(size_t, const std::nothrow_t&);
        const char* const name = form.is_array ? "_ZnamRKSt9nothrow_t" : "_ZnwmRKSt9nothrow_t";
        auto create = reinterpret_cast<Create>(find_in_library(name));
        return create != nullptr ? create(bytes, nothrow) : nullptr;
    }
    using CreateAligned = void* (*)(size_t, std::align_val_t, const std::nothrow_t&);
    const char* const name =
        form.is_array ? "_ZnamSt11align_val_tRKSt9nothrow_t" : "_ZnwmSt11align_val_tRKSt9nothrow_t";
    auto create = reinterpret_cast<CreateAligned>(find_in_library(name));
    return create != nullptr ? create(bytes, std::align_val_t{form.alignment}, nothrow) : nullptr;
}

void* create_without_throwing(size_t bytes, size_t alignment) {
    return new_handler() != nullptr ? create_by_library(bytes, {alignment, false}) : nullptr;
}

}  // namespace malloom::front
