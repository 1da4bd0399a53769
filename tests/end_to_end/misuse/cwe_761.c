// CWE-761, an object is freed by a pointer that is not to its start; the table at the end says what serves
// it.
#include "misuse.h"

#include <stddef.h>

/// Frees at so many bytes from the start, and asks whether objects now overlap.
static void free_at(maker make, size_t bytes, ptrdiff_t offset) {
    char* object = one_of_many(make, bytes);
    free(object + (wrong ? offset : 0));
    ask_again(make, bytes, object);
}

// ---- distances from the start

static void one_byte_on(void) {
    free_at(by_malloc, 48, 1);
}
static void eight_bytes_on(void) {
    free_at(by_malloc, 48, 8);
}
static void sixteen_bytes_on(void) {
    free_at(by_malloc, 48, 16);
}
static void thirty_two_bytes_on(void) {
    free_at(by_malloc, 48, 32);
}
static void last_byte(void) {
    free_at(by_malloc, 80, 79);
}
static void half_of_16(void) {
    free_at(by_malloc, 16, 8);
}
static void middle_of_1024(void) {
    free_at(by_malloc, 1024, 512);
}
static void middle_of_4096(void) {
    free_at(by_malloc, 4096, 2048);
}
static void one_byte_before(void) {
    free_at(by_malloc, 48, -1);
}
static void eight_bytes_before(void) {
    free_at(by_malloc, 64, -8);
}
static void sixteen_bytes_before(void) {
    free_at(by_malloc, 64, -16);
}
static void inside_calloc(void) {
    free_at(by_calloc, 96, 48);
}
static void realloc_inside_in_place(void) {
    char* object = one_of_many(by_malloc, 80);
    char* kept = (char*)realloc(object + (wrong ? 16 : 0), 70);
    free(kept);
    ask_again(by_malloc, 80, object);
}
static void inside_realloc(void) {
    free_at(by_realloc, 112, 16);
}
static void inside_strdup(void) {
    free_at(by_strdup, 60, 16);
}
static void inside_aligned(void) {
    free_at(by_aligned, 256, 64);
}
static void inside_large(void) {
    free_at(by_malloc, 40000, 16);
}
static void page_inside_large(void) {
    free_at(by_malloc, 40000, 4096);
}
static void inside_mapped(void) {
    free_at(by_malloc, 400000, 8192);
}

// ---- texts that a pointer walks along

static void at_end_of_word(void) {
    char* text = one_of_many(by_strdup, 40);
    char* place = text;
    while (*place != 0) ++place;
    free(wrong ? place : text);
    ask_again(by_strdup, 40, text);
}

static void at_found_letter(void) {
    char* text = one_of_many(by_strdup, 72);
    text[32] = '=';
    free(wrong ? strchr(text, '=') : text);
    ask_again(by_strdup, 72, text);
}

static void behind_blanks(void) {
    char* text = (char*)memset(one_of_many(by_strdup, 32), ' ', 5);
    char* trimmed = text + strspn(text, " ");
    free(wrong ? trimmed : text);
    ask_again(by_strdup, 32, text);
}

static void second_token(void) {
    char* text = one_of_many(by_strdup, 48);
    text[15] = ' ';
    char* token = strtok(text, " ");
    token = strtok(NULL, " ");
    free(wrong ? token : text);
    ask_again(by_strdup, 48, text);
}

static void input_consumed(void) {
    char* input = one_of_many(by_malloc, 64);
    const char* start = input;
    for (int i = 0; i < 4; ++i) input += 8;
    free(wrong ? input : (void*)start);
    ask_again(by_malloc, 64, start);
}

// ---- parts of structures

struct link {
    struct link* next;
    struct link* before;
};

struct job {
    long number;
    char name[24];
    struct link queue;
};

static void member(void) {
    struct job* job = (struct job*)one_of_many(by_malloc, sizeof *job);
    free(wrong ? (void*)job->name : job);
    ask_again(by_malloc, sizeof *job, job);
}

static void destroy(struct link* link) {
    free(wrong ? (char*)link : (char*)link - offsetof(struct job, queue));
}

static void link_in_job(void) {
    struct job* job = (struct job*)one_of_many(by_malloc, sizeof *job);
    destroy(&job->queue);
    ask_again(by_malloc, sizeof *job, job);
}

static void element(void) {
    long* numbers = (long*)one_of_many(by_malloc, 50 * sizeof(long));
    free(wrong ? &numbers[10] : numbers);
    ask_again(by_malloc, 50 * sizeof(long), numbers);
}

static void rows_of_one_block(void) {
    double* cells = (double*)one_of_many(by_malloc, 16 * sizeof(double));
    double* rows[4];
    for (size_t i = 0; i < 4; ++i) rows[i] = cells + 4 * i;
    for (int i = 3; i >= (wrong ? 0 : 4); --i) free(rows[i]);
    if (!wrong) free(cells);
    ask_again(by_malloc, 16 * sizeof(double), cells);
}

// ---- wrappers that put something before what they hand out

static void* with_length(size_t bytes) {
    size_t* made = (size_t*)by_malloc(16 + bytes);
    *made = bytes;
    return made + 2;
}

static void header_forgotten(void) {
    char* object = one_of_many(with_length, 48);
    free(wrong ? object : object - 16);
    ask_again(with_length, 48, object);
}

static void aligned_by_hand_forgotten(void) {
    char* object = one_of_many(by_malloc, 160);
    char* aligned = (char*)(((uintptr_t)object + 64) & ~(uintptr_t)63);
    free(wrong ? aligned : object);
    ask_again(by_malloc, 160, object);
}

// ---- others

static void realloc_inside(void) {
    char* object = one_of_many(by_malloc, 64);
    char* grown = (char*)realloc(object + (wrong ? 16 : 0), 1500);
    free(grown);
    ask_again(by_malloc, 64, object);
}

static void moved_by_realloc(void) {
    char* object = one_of_many(by_malloc, 48);
    for (int i = 0; i < crowd_count; ++i) crowd[i] = realloc(crowd[i], 160);
    object = (char*)crowd[9];
    free(object + (wrong ? 32 : 0));
}

static void many_inside(void) {
    one_of_many(by_malloc, 144);
    char* object = (char*)crowd[10];
    for (int i = 0; i < 100; ++i) free((char*)crowd[i] + (wrong ? 16 : 0));
    ask_again(by_malloc, 144, object);
}

static void inside_by_other_thread(void) {
    char* object = one_of_many(by_malloc, 48);
    in_thread(free_in_thread, object + (wrong ? 16 : 0));
    ask_again(by_malloc, 48, object);
}

static void one_byte_on_by_other_thread(void) {
    char* object = one_of_many(by_malloc, 200);
    in_thread(free_in_thread, object + (wrong ? 1 : 0));
    ask_again(by_malloc, 200, object);
}

static void after_other_pairs(void) {
    char* object = one_of_many(by_malloc, 320);
    other_pairs(50000);
    free(object + (wrong ? 64 : 0));
    ask_again(by_malloc, 320, object);
}

static void inside_line_of_library(void) {
    char* line = NULL;
    size_t size = 0;
    FILE* file = fopen("/proc/self/status", "r");
    if (file == NULL || getline(&line, &size, file) < 0) exit(1);
    fclose(file);
    free(line + (wrong ? 16 : 0));
    ask_again(by_malloc, size, line);
}

static void inside_text_of_library(void) {
    char* text = NULL;
    if (asprintf(&text, "%060d", 7) < 0) exit(1);
    free(text + (wrong ? 5 : 0));
    ask_again(by_malloc, 61, text);
}

static const struct misuse cases[] = {
    {"one_byte_on", "pool", one_byte_on},
    {"eight_bytes_on", "pool", eight_bytes_on},
    {"sixteen_bytes_on", "pool", sixteen_bytes_on},
    {"thirty_two_bytes_on", "pool", thirty_two_bytes_on},
    {"last_byte", "pool", last_byte},
    {"half_of_16", "pool", half_of_16},
    {"middle_of_1024", "pool", middle_of_1024},
    {"middle_of_4096", "pool", middle_of_4096},
    {"one_byte_before", "pool", one_byte_before},
    {"eight_bytes_before", "pool", eight_bytes_before},
    {"sixteen_bytes_before", "pool", sixteen_bytes_before},
    {"inside_calloc", "pool", inside_calloc},
    {"inside_realloc", "pool", inside_realloc},
    {"inside_strdup", "pool", inside_strdup},
    {"inside_aligned", "fallback", inside_aligned},
    {"inside_large", "fallback", inside_large},
    {"page_inside_large", "fallback", page_inside_large},
    {"inside_mapped", "fallback", inside_mapped},
    {"at_end_of_word", "pool", at_end_of_word},
    {"at_found_letter", "pool", at_found_letter},
    {"behind_blanks", "pool", behind_blanks},
    {"second_token", "pool", second_token},
    {"input_consumed", "pool", input_consumed},
    {"member", "pool", member},
    {"link_in_job", "pool", link_in_job},
    {"element", "pool", element},
    {"rows_of_one_block", "pool", rows_of_one_block},
    {"header_forgotten", "pool", header_forgotten},
    {"aligned_by_hand_forgotten", "pool", aligned_by_hand_forgotten},
    {"realloc_inside", "pool", realloc_inside},
    {"moved_by_realloc", "fallback", moved_by_realloc},
    {"many_inside", "pool", many_inside},
    {"realloc_inside_in_place", "pool", realloc_inside_in_place},
    {"inside_by_other_thread", "pool", inside_by_other_thread},
    {"one_byte_on_by_other_thread", "pool", one_byte_on_by_other_thread},
    {"after_other_pairs", "pool", after_other_pairs},
    {"inside_line_of_library", "library", inside_line_of_library},
    {"inside_text_of_library", "library", inside_text_of_library},
};
MISUSE_MAIN(cases)
