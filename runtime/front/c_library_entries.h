// The C library's own names of free and realloc, which some programs call for objects of malloc's. What it
// gives by its own names, as __libc_malloc, stays its own: a malloc of somebody's between this library and it
// may ask there.
//
// Included once, by the source file of libmalloom.so, behind malloc_entries.h.
#pragma once

#include <dlfcn.h>

namespace malloom::front {

// Set while the thread is in one of these. Who lies between may come back for an object that is not of here.
[[gnu::tls_model("initial-exec")]] static thread_local bool is_called_back = false;

class CallToCLibrary {
  public:
    CallToCLibrary() { is_called_back = true; }
    ~CallToCLibrary() { is_called_back = false; }
    CallToCLibrary(const CallToCLibrary&) = delete;
    CallToCLibrary& operator=(const CallToCLibrary&) = delete;

    template <class Function>
    static Function next(const char* name) {
        return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    }
};

}  // namespace malloom::front

MALLOOM_ENTRY void __libc_free(void* object) {
    using namespace malloom::front;
    if (is_called_back) {
        return CallToCLibrary::next<void (*)(void*)>("__libc_free")(object);
    }
    const CallToCLibrary call;
    Entry<>::release(object);
}

MALLOOM_ENTRY void* __libc_realloc(void* object, size_t bytes) {
    using namespace malloom::front;
    if (is_called_back) {
        return CallToCLibrary::next<void* (*)(void*, size_t)>("__libc_realloc")(object, bytes);
    }
    const CallToCLibrary call;
    return Entry<>::reallocate(object, bytes);
}
