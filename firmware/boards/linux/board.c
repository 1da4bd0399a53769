/* The board support of a process under Linux, whose processor may be emulated. */
#include "firmware/board.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const size_t memory_bytes = (size_t)64 << 20;

void board_write(const char* text) {
    size_t bytes = strlen(text);
    while (bytes != 0) {
        const ssize_t written = write(STDOUT_FILENO, text, bytes);
        if (written < 0) abort();
        text += written;
        bytes -= (size_t)written;
    }
}

void board_exit(int status) {
    _exit(status);
}

uint32_t board_cycles(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

void board_flush_instruction_cache(void* begin, size_t bytes) {
    __builtin___clear_cache((char*)begin, (char*)begin + bytes);
}

void board_flush_data_cache(void) {}

/* The same in every call. */
struct board_range board_memory(void) {
    static struct board_range memory;
    if (memory.begin == NULL) {
        void* const begin = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (begin == MAP_FAILED) abort();
        memory.begin = begin;
        memory.bytes = memory_bytes;
    }
    return memory;
}

/* Of the file that the environment names. */
struct board_range board_data(void) {
    static struct board_range data;
    const char* const path = getenv("BOARD_DATA");
    struct stat status;
    if (data.begin != NULL || path == NULL) return data;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) abort();
    data.bytes = (size_t)status.st_size;
    data.begin = mmap(NULL, data.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (data.begin == MAP_FAILED) abort();
    close(file);
    return data;
}
