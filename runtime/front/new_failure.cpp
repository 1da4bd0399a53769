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
        // What is found is kept, so the library is: libc++ could be unloaded with a plug-in that needs it.
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (handle != nullptr) {
            void* found = dlsym(handle, name);
            dlclose(handle);
            return found;
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

struct LibraryForm {
    const char* name;
    void* function;  ///< null until it was found; atomic
};
// Without and with an alignment, each for one object and for arrays.
constinit LibraryForm forms[] = {{"_ZnwmRKSt9nothrow_t", nullptr},
                                 {"_ZnamRKSt9nothrow_t", nullptr},
                                 {"_ZnwmSt11align_val_tRKSt9nothrow_t", nullptr},
                                 {"_ZnamSt11align_val_tRKSt9nothrow_t", nullptr}};

void* function_of(LibraryForm& form) {
    void* found = __atomic_load_n(&form.function, __ATOMIC_RELAXED);
    if (found == nullptr) {
        found = find_in_library(form.name);
        __atomic_store_n(&form.function, found, __ATOMIC_RELAXED);
    }
    return found;
}

}  // namespace

void find_library_forms() {
    for (LibraryForm& form : forms) {
        function_of(form);
    }
}

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
    void* function = function_of(forms[(form.alignment != 0 ? 2 : 0) + (form.is_array ? 1 : 0)]);
    if (form.alignment == 0) {
        using Create = void* (*)(size_t, const std::nothrow_t&);
        auto create = reinterpret_cast<Create>(function);
        return create != nullptr ? create(bytes, nothrow) : nullptr;
    }
    using CreateAligned = void* (*)(size_t, std::align_val_t, const std::nothrow_t&);
    auto create = reinterpret_cast<CreateAligned>(function);
    return create != nullptr ? create(bytes, std::align_val_t{form.alignment}, nothrow) : nullptr;
}

void* create_without_throwing(size_t bytes, size_t alignment) {
    return new_handler() != nullptr ? create_by_library(bytes, {alignment, false}) : nullptr;
}

}  // namespace malloom::front
