// What the client and DynamoRIO's table want of the C library. With the real one DynamoRIO loads a private
// copy of it, whose start asks the processor for its features, which a hypervisor answers: 1.3 ms of every
// process. As the standards have them; nothing here is for much data.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes) {
    void* const start = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return start;
}

void* memset(void* to, int value, size_t bytes) {
    void* const start = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return start;
}

int memcmp(const void* one, const void* other, size_t bytes) {
    const auto* const a = static_cast<const uint8_t*>(one);
    const auto* const b = static_cast<const uint8_t*>(other);
    size_t i = 0;
    while (i < bytes && a[i] == b[i]) ++i;
    return i == bytes ? 0 : a[i] - b[i];
}

void* memchr(const void* within, int wanted, size_t bytes) {
    const auto* const at = static_cast<const uint8_t*>(within);
    size_t i = 0;
    while (i < bytes && at[i] != static_cast<uint8_t>(wanted)) ++i;
    return i == bytes ? nullptr : const_cast<uint8_t*>(at + i);
}

// The plain loop would be compiled to a call of strlen.
size_t strlen(const char* text) {
    return static_cast<size_t>(static_cast<const char*>(memchr(text, '\0', SIZE_MAX)) - text);
}

int strncmp(const char* one, const char* other, size_t most) {
    size_t i = 0;
    while (i < most && one[i] == other[i] && one[i] != '\0') ++i;
    return i == most ? 0 : static_cast<uint8_t>(one[i]) - static_cast<uint8_t>(other[i]);
}

int strcmp(const char* one, const char* other) {
    return strncmp(one, other, SIZE_MAX);
}

char* strncpy(char* __restrict to, const char* __restrict from, size_t most) {
    size_t i = 0;
    for (; i < most && from[i] != '\0'; ++i) to[i] = from[i];
    for (; i < most; ++i) to[i] = '\0';
    return to;
}

// The kernel's own: on failure the error's negative number.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    const long one = va_arg(list, long), two = va_arg(list, long), three = va_arg(list, long);
    register long four __asm__("r10") = va_arg(list, long);
    va_end(list);
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(one), "S"(two), "d"(three), "r"(four)
                     : "rcx", "r11", "memory");
    return result;
}

}  // extern "C"
