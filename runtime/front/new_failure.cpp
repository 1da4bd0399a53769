#include "runtime/front/new_failure.h"

#include <dlfcn.h>

#include "runtime/platform/output.h"

namespace malloom::front {

namespace {

using NewHandler = void (*)();

// libstdc++ and libc++ both export std::get_new_handler and std::__throw_bad_alloc under these names. Looked
// up only on failure: a weak reference would be one more relocation at every start.
void* find_in_cpp_library(const char* name) {
    if (void* found = dlsym(RTLD_DEFAULT, name)) {
        return found;
    }
    // Loaded by dlopen for a plug-in, so not in the global scope.
    static const char* const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    for (const char* library : libraries) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (handle != nullptr) {
            return dlsym(handle, name);
        }
    }
    return nullptr;
}

}  // namespace

bool retry_after_new_handler(bool nothrow) {
    auto get_handler = reinterpret_cast<NewHandler (*)()>(find_in_cpp_library("_ZSt15get_new_handlerv"));
    NewHandler handler = get_handler != nullptr ? get_handler() : nullptr;
    if (handler != nullptr) {
        handler();
        return true;
    }
    if (nothrow) {
        return false;
    }
    auto throw_bad_alloc = reinterpret_cast<void (*)()>(find_in_cpp_library("_ZSt17__throw_bad_allocv"));
    if (throw_bad_alloc != nullptr) {
        throw_bad_alloc();
    }
    platform::abort_with("malloom: operator new: out of memory, and no C++ library to throw std::bad_alloc");
}

}  // namespace malloom::front
