/* Counts requests and the bytes that they ask for, and says so at the end of the program. Linked with --wrap.
 */
#include <stddef.h>
#include <stdint.h>

#include "firmware/board.h"

static uint32_t requests, releases;
static uint64_t requested;

int __real_program_main(int count, char** arguments);
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* object, size_t bytes);
void __real_free(void* object);

static void request(uint64_t bytes) {
    ++requests;
    requested += bytes;
}

void* __wrap_malloc(size_t bytes) {
    request(bytes);
    return __real_malloc(bytes);
}

void* __wrap_calloc(size_t count, size_t bytes) {
    request((uint64_t)count * bytes);
    return __real_calloc(count, bytes);
}

void* __wrap_realloc(void* object, size_t bytes) {
    request(bytes);
    return __real_realloc(object, bytes);
}

void __wrap_free(void* object) {
    releases += object != NULL;
    __real_free(object);
}

static void tell(const char* name, uint64_t number) {
    board_write(name);
    board_write_number(number);
}

int __wrap_program_main(int count, char** arguments) {
    const int status = __real_program_main(count, arguments);
    tell("requests ", requests);
    tell(" requested ", requested);
    tell(" releases ", releases);
    board_write("\n");
    return status;
}
