// Code made while the program runs, and made anew: it calls malloc and another function in turn. Linked with
// -no-pie, so that malloc's entry of the PLT is within reach of a direct call from below the program's image.
// MAP_32BIT would not do: DynamoRIO may have reserved all that it looks at.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef void* (*Code)(size_t bytes);

enum { BELOW_THE_IMAGE = 0x200000 };

static char pond[1 << 16];

static void* from_pond(size_t bytes) {
    static size_t used;
    used = (used + bytes) % (sizeof pond - bytes);
    return pond + used;
}

// sub $8, %rsp; call TARGET; add $8, %rsp; ret
static void write_call(unsigned char* code, uintptr_t target) {
    const int32_t distance = (int32_t)(target - (uintptr_t)(code + 9));
    memcpy(code, "\x48\x83\xec\x08\xe8", 5);
    memcpy(code + 5, &distance, sizeof distance);
    memcpy(code + 9, "\x48\x83\xc4\x08\xc3", 5);
}

static long wrong_answers(Code code, int is_pond, int times) {
    long wrong = 0;
    for (int i = 0; i < times; ++i) {
        char* const object = code(40);
        const int lies_in_pond = object >= pond && object < pond + sizeof pond;
        wrong += lies_in_pond != is_pond;
        memset(object, i, 40);
        if (!lies_in_pond) free(object);
    }
    return wrong;
}

int main(void) {
    unsigned char* const code = mmap((void*)BELOW_THE_IMAGE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (code == MAP_FAILED) return 1;
    long wrong = 0;
    for (int round = 0; round < 20; ++round) {
        write_call(code, round % 2 != 0 ? (uintptr_t)from_pond : (uintptr_t)malloc);
        wrong += wrong_answers((Code)(uintptr_t)code, round % 2, 3000);
    }
    printf("%ld wrong\n", wrong);
    return 0;
}
