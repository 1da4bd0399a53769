// DynamoRIO's private loader binds a client's open, write and close to functions of its own that take other
// flags and report errors otherwise: an open for appending truncates the file. The linker turns the calls to
// these names into calls to the functions here (--wrap), which ask the kernel.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

int __wrap_open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t __wrap_write(int descriptor, const void* bytes, size_t count) {
    return syscall(SYS_write, descriptor, bytes, count);
}

int __wrap_close(int descriptor) {
    return static_cast<int>(syscall(SYS_close, descriptor));
}

}  // extern "C"
