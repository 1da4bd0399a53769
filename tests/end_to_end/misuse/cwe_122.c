// CWE-122, what is written or copied into an object goes on past its end; the table at the end says what
// serves it.
#include "misuse.h"

#include <fcntl.h>
#include <unistd.h>
#include <wchar.h>

/// Fills an object and so many bytes behind it, and then uses the heap.
static void fill_past_end(maker make, size_t bytes, size_t more) {
    char* object = one_of_many(make, bytes);
    memset(object, 'w', bytes + (wrong ? more : 0));
    use_heap(make, bytes);
}

static void one_byte(void) {
    fill_past_end(by_malloc, 24, 1);
}
static void one_byte_in_padding(void) {
    fill_past_end(by_malloc, 41, 1);
}
static void eight_bytes(void) {
    fill_past_end(by_malloc, 56, 8);
}
static void sixteen_bytes(void) {
    fill_past_end(by_malloc, 48, 16);
}
static void whole_neighbour(void) {
    fill_past_end(by_malloc, 48, 48);
}
static void many_neighbours(void) {
    fill_past_end(by_malloc, 32, 1000);
}
static void past_16(void) {
    fill_past_end(by_malloc, 16, 16);
}
static void past_1000(void) {
    fill_past_end(by_malloc, 1000, 24);
}
static void past_4096(void) {
    fill_past_end(by_malloc, 4096, 64);
}
static void past_calloc(void) {
    fill_past_end(by_calloc, 104, 16);
}
static void past_realloc(void) {
    fill_past_end(by_realloc, 88, 16);
}
static void past_aligned(void) {
    fill_past_end(by_aligned, 128, 64);
}
static void past_large(void) {
    fill_past_end(by_malloc, 40000, 32);
}

// ---- texts

static void terminator(void) {
    const char* text = "exactly forty characters, without an end";
    char* copy = one_of_many(by_malloc, 40);
    memcpy(copy, text, 40);
    if (wrong) copy[40] = 0;
    use_heap(by_malloc, 40);
}

static void copied_text(void) {
    char* copy = one_of_many(by_malloc, 24);
    strcpy(copy, wrong ? "a text of which nobody has asked the length" : "short");
    use_heap(by_malloc, 24);
}

static void appended_text(void) {
    char* text = one_of_many(by_malloc, 64);
    strcpy(text, "path");
    for (int i = 0; i < (wrong ? 12 : 3); ++i) strcat(text, "/folder");
    use_heap(by_malloc, 64);
}

static void formatted_text(void) {
    char* text = one_of_many(by_malloc, 32);
    sprintf(text, "%0*d", wrong ? 60 : 20, 7);
    use_heap(by_malloc, 32);
}

static void strdup_extended(void) {
    char* text = one_of_many(by_strdup, 24);
    strcat(text, wrong ? " and more than there is room for" : "");
    use_heap(by_strdup, 24);
}

static void wide_characters(void) {
    wchar_t* text = (wchar_t*)one_of_many(by_malloc, 40);
    wmemset(text, L'w', wrong ? 40 : 10);
    use_heap(by_malloc, 40);
}

// ---- sizes that are wrong

struct record {
    long number;
    char name[40];
};

static void size_of_pointer(void) {
    // The size is that of two pointers where it should be the size of the record.
    const size_t bytes = wrong ? sizeof(struct record*) * 2 : sizeof(struct record);
    struct record* record = (struct record*)one_of_many(by_malloc, bytes);
    memset(record, 'w', sizeof *record);
    use_heap(by_malloc, bytes);
}

static void count_without_size(void) {
    const size_t count = 30, bytes = wrong ? count : count * sizeof(int);
    int* numbers = (int*)one_of_many(by_malloc, bytes);
    for (size_t i = 0; i < count; ++i) numbers[i] = 7;
    use_heap(by_malloc, bytes);
}

static void wrapped_size(void) {
    const unsigned count = wrong ? 0x10000004U : 16U;
    const unsigned bytes = count * 16U;
    char* cells = one_of_many(by_malloc, bytes);
    memset(cells, 'w', 256);
    use_heap(by_malloc, bytes);
}

static void loop_to_and_with_count(void) {
    long* numbers = (long*)one_of_many(by_malloc, 20 * sizeof(long));
    for (int i = 0; wrong ? i <= 20 : i < 20; ++i) numbers[i] = 7;
    use_heap(by_malloc, 20 * sizeof(long));
}

static void old_length_after_shrinking(void) {
    one_of_many(by_malloc, 200);
    for (int i = 0; i < crowd_count; ++i) crowd[i] = realloc(crowd[i], 40);
    memset(crowd[100], 'w', wrong ? 200 : 40);
    use_heap(by_malloc, 40);
}

// ---- through other code

static void fill(char* place, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) place[i] = 'w';
}

static void via_function(void) {
    char* object = one_of_many(by_malloc, 72);
    fill(object, wrong ? 100 : 72);
    use_heap(by_malloc, 72);
}

static void read_from_file(void) {
    char* object = one_of_many(by_malloc, 48);
    const int file = open("/proc/self/status", O_RDONLY);
    if (read(file, object, wrong ? 200 : 48) < 0) exit(1);
    close(file);
    use_heap(by_malloc, 48);
}

static void* fill_in_thread(void* object) {
    fill((char*)object, wrong ? 96 : 48);
    return NULL;
}

static void by_other_thread(void) {
    in_thread(fill_in_thread, one_of_many(by_malloc, 48));
    use_heap(by_malloc, 48);
}

static const struct misuse cases[] = {
    {"one_byte", "pool", one_byte},
    {"one_byte_in_padding", "pool", one_byte_in_padding},
    {"eight_bytes", "pool", eight_bytes},
    {"sixteen_bytes", "pool", sixteen_bytes},
    {"whole_neighbour", "pool", whole_neighbour},
    {"many_neighbours", "pool", many_neighbours},
    {"past_16", "pool", past_16},
    {"past_1000", "pool", past_1000},
    {"past_4096", "pool", past_4096},
    {"past_calloc", "pool", past_calloc},
    {"past_realloc", "pool", past_realloc},
    {"past_aligned", "fallback", past_aligned},
    {"past_large", "fallback", past_large},
    {"terminator", "pool", terminator},
    {"copied_text", "pool", copied_text},
    {"appended_text", "pool", appended_text},
    {"formatted_text", "pool", formatted_text},
    {"strdup_extended", "pool", strdup_extended},
    {"wide_characters", "pool", wide_characters},
    {"size_of_pointer", "pool", size_of_pointer},
    {"count_without_size", "pool", count_without_size},
    {"wrapped_size", "pool", wrapped_size},
    {"loop_to_and_with_count", "pool", loop_to_and_with_count},
    {"old_length_after_shrinking", "fallback", old_length_after_shrinking},
    {"via_function", "pool", via_function},
    {"read_from_file", "pool", read_from_file},
    {"by_other_thread", "pool", by_other_thread},
};
MISUSE_MAIN(cases)
