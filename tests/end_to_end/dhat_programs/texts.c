// Strings of the C library: their functions depend on the alignment, which must not be the allocator's
// choice.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t hash;
    uint16_t length;
    char text[30];
    struct entry* next;
};

static struct entry* table[16];

enum { line_bytes = 64, text_bytes = 24 };

static void* aligned(size_t bytes) {
    return aligned_alloc(line_bytes, bytes);
}

static uint32_t hash_of(const char* text) {
    uint32_t hash = 5381;
    while (*text) hash = hash * 33 + (unsigned char)*text++;
    return hash;
}

static char* spelled(unsigned number) {
    char digits[12];
    int at = 12;
    digits[--at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    char* text = aligned(text_bytes);
    strcpy(text, "number ");
    strcat(text, digits + at);
    return text;
}

static void insert(const char* text) {
    struct entry* made = memset(aligned(sizeof *made), 0, sizeof *made);
    made->hash = hash_of(text);
    made->length = (uint16_t)strlen(text);
    memcpy(made->text, text, made->length + 1);
    made->next = table[made->hash % 16];
    table[made->hash % 16] = made;
}

static const struct entry* find(const char* text) {
    const uint32_t hash = hash_of(text);
    for (const struct entry* at = table[hash % 16]; at; at = at->next) {
        if (at->hash == hash && at->length == strlen(text) && strcmp(at->text, text) == 0) return at;
    }
    return NULL;
}

static size_t copies(size_t bytes) {
    char* from = aligned(bytes);
    char* to = aligned(bytes);
    memset(from, 'a', bytes - 1);
    from[bytes - 1] = 0;
    memcpy(to, from, bytes);
    memmove(to + 1, to, bytes / 2);
    const size_t found =
        strlen(to) + (size_t)memcmp(from, to, bytes) + (size_t)((char*)memchr(from, 0, bytes) - from);
    free(to);
    free(from);
    return found;
}

int main(void) {
    size_t sum = 0;
    for (unsigned i = 0; i < 60; i++) {
        char* text = spelled(i * i);
        insert(text);
        free(text);
    }
    for (unsigned i = 0; i < 90; i++) {
        char* text = spelled(i);
        const struct entry* found = find(text);
        if (found) sum += strlen(found->text);
        free(text);
    }
    for (size_t bytes = 1; bytes < 200; bytes += 7) sum += copies(bytes);
    sum += copies(1024) + copies(4000);
    return (int)(sum & 63);
}
