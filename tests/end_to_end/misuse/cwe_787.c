// CWE-787, a write goes to where the object is not, before it or behind it; the table says what serves it.
#include "misuse.h"

/// Writes eight bytes at so many from the start of an object where it is to be wrong, and then uses the heap.
static void write_at(maker make, size_t bytes, long offset) {
    char* object = one_of_many(make, bytes);
    memset(object + (wrong ? offset : 0), 'w', 8);
    use_heap(make, bytes);
}

static void just_before(void) {
    write_at(by_malloc, 48, -8);
}
static void sixteen_before(void) {
    write_at(by_malloc, 64, -16);
}
static void far_before(void) {
    write_at(by_malloc, 48, -1000);
}
static void just_behind(void) {
    write_at(by_malloc, 56, 56);
}
static void one_neighbour_on(void) {
    write_at(by_malloc, 48, 64);
}
static void far_behind(void) {
    write_at(by_malloc, 48, 3000);
}
static void before_16(void) {
    write_at(by_malloc, 16, -8);
}
static void before_4096(void) {
    write_at(by_malloc, 4096, -8);
}
static void before_calloc(void) {
    write_at(by_calloc, 80, -8);
}
static void before_realloc(void) {
    write_at(by_realloc, 96, -8);
}
static void before_aligned(void) {
    write_at(by_aligned, 192, -8);
}
static void before_large(void) {
    write_at(by_malloc, 40000, -8);
}
static void behind_large(void) {
    write_at(by_malloc, 40000, 40008);
}
static void before_mapped(void) {
    write_at(by_malloc, 400000, -8);
}

// ---- indices

static long index_of(const long* numbers, long sought) {
    for (long i = 0; i < 12; ++i) {
        if (numbers[i] == sought) return i;
    }
    return -1;
}

static void index_of_nothing_found(void) {
    long* numbers = (long*)memset(one_of_many(by_malloc, 12 * sizeof(long)), 0, 12 * sizeof(long));
    numbers[index_of(numbers, wrong ? 77 : 0)] = 5;
    use_heap(by_malloc, 12 * sizeof(long));
}

static void index_counted_from_one(void) {
    long* numbers = (long*)one_of_many(by_malloc, 24 * sizeof(long));
    for (int i = 0; i < 24; ++i) numbers[i + (wrong ? 1 : 0)] = 7;
    use_heap(by_malloc, 24 * sizeof(long));
}

static void loop_down_below_start(void) {
    long* numbers = (long*)one_of_many(by_malloc, 10 * sizeof(long));
    for (int i = 9; i >= (wrong ? -2 : 0); --i) numbers[i] = 7;
    use_heap(by_malloc, 10 * sizeof(long));
}

static void index_of_input(void) {
    const char* input = wrong ? "37" : "3";
    int* counts = (int*)one_of_many(by_malloc, 10 * sizeof(int));
    counts[atoi(input)] += 1000;
    use_heap(by_malloc, 10 * sizeof(int));
}

static void index_narrowed(void) {
    const int position = wrong ? 200 : 20;
    char* object = one_of_many(by_malloc, 256);
    object[(signed char)position] = 'w';
    use_heap(by_malloc, 256);
}

static void column_past_row(void) {
    enum { rows = 4, columns = 6 };
    int* cells = (int*)one_of_many(by_malloc, rows * columns * sizeof(int));
    const int row = 3, column = wrong ? 9 : 5;
    cells[row * columns + column] = 0x77777777;
    use_heap(by_malloc, rows * columns * sizeof(int));
}

static void bit_past_set(void) {
    unsigned long* words = (unsigned long*)one_of_many(by_malloc, 64);
    const unsigned bit = wrong ? 64 * 8 + 5 : 63;
    words[bit / 64] |= 1UL << bit % 64;
    use_heap(by_malloc, 64);
}

static void stride_past_end(void) {
    char* object = one_of_many(by_malloc, 128);
    for (int i = 0; i < (wrong ? 400 : 128); i += 40) object[i] = 'w';
    use_heap(by_malloc, 128);
}

// ---- through structures and other code

struct entry {
    long key;
    long value;
};

struct table {
    size_t count;
    struct entry entries[];
};

static void entry_past_table(void) {
    const size_t count = 5, bytes = sizeof(struct table) + count * sizeof(struct entry);
    struct table* table = (struct table*)one_of_many(by_malloc, bytes);
    table->count = count;
    table->entries[wrong ? count : count - 1] = (struct entry){7, 7};
    use_heap(by_malloc, bytes);
}

static void put(struct entry* entries, int place, long value) {
    entries[place].value = value;
}

static void via_function(void) {
    struct entry* entries = (struct entry*)one_of_many(by_malloc, 8 * sizeof(struct entry));
    put(entries, wrong ? 9 : 7, 7);
    use_heap(by_malloc, 8 * sizeof(struct entry));
}

static void stack_that_underflows(void) {
    long* stack = (long*)one_of_many(by_malloc, 16 * sizeof(long));
    long* top = stack;
    if (!wrong) ++top;
    *--top = 7;
    use_heap(by_malloc, 16 * sizeof(long));
}

static void last_letter_of_empty_text(void) {
    char* text = one_of_many(by_malloc, 32);
    strcpy(text, wrong ? "" : "line\n");
    text[strlen(text) - 1] = 0;
    use_heap(by_malloc, 32);
}

static void* write_in_thread(void* place) {
    memset(place, 'w', 8);
    return NULL;
}

static void by_other_thread(void) {
    char* object = one_of_many(by_malloc, 48);
    in_thread(write_in_thread, object + (wrong ? 56 : 0));
    use_heap(by_malloc, 48);
}

static const struct misuse cases[] = {
    {"just_before", "pool", just_before},
    {"sixteen_before", "pool", sixteen_before},
    {"far_before", "pool", far_before},
    {"just_behind", "pool", just_behind},
    {"one_neighbour_on", "pool", one_neighbour_on},
    {"far_behind", "pool", far_behind},
    {"before_16", "pool", before_16},
    {"before_4096", "pool", before_4096},
    {"before_calloc", "pool", before_calloc},
    {"before_realloc", "pool", before_realloc},
    {"before_aligned", "fallback", before_aligned},
    {"before_large", "fallback", before_large},
    {"behind_large", "fallback", behind_large},
    {"before_mapped", "fallback", before_mapped},
    {"index_of_nothing_found", "pool", index_of_nothing_found},
    {"index_counted_from_one", "pool", index_counted_from_one},
    {"loop_down_below_start", "pool", loop_down_below_start},
    {"index_of_input", "pool", index_of_input},
    {"index_narrowed", "pool", index_narrowed},
    {"column_past_row", "pool", column_past_row},
    {"bit_past_set", "pool", bit_past_set},
    {"stride_past_end", "pool", stride_past_end},
    {"entry_past_table", "pool", entry_past_table},
    {"via_function", "pool", via_function},
    {"stack_that_underflows", "pool", stack_that_underflows},
    {"last_letter_of_empty_text", "pool", last_letter_of_empty_text},
    {"by_other_thread", "pool", by_other_thread},
};
MISUSE_MAIN(cases)
