// dlopen without RTLD_DEEPBIND. A library loaded with it finds the C library's malloc family before this one,
// and would free there what strdup, or the program, got here: the end of the program.
#include <dlfcn.h>

#define MALLOOM_ENTRY extern "C" [[gnu::visibility("default")]]

// The loader looks at the return address to know who asks, for search paths: so the real one is reached by a
// tail call, which compilers make where they optimize.
MALLOOM_ENTRY void* dlopen(const char* path, int flags) {
    const auto real = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
    return real(path, flags & ~RTLD_DEEPBIND);
}
