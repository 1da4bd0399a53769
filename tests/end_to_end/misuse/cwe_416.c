// CWE-416, an object is used after it was freed; the table at the end says what serves it. A heap that
// neither watches nor delays sees such a use only where it harms what the heap itself keeps in the freed
// object.
#include "misuse.h"

static volatile long seen;

// ---- reads

static void read_after_free(void) {
    char* object = one_of_many(by_malloc, 48);
    if (!wrong) seen = object[8];
    free(object);
    if (wrong) seen = object[8];
    ask_again(by_malloc, 48, NULL);
}

static void text_after_free(void) {
    char* text = one_of_many(by_strdup, 100);
    if (!wrong) seen = (long)strlen(text);
    free(text);
    if (wrong) seen = (long)strlen(text);
    ask_again(by_strdup, 100, NULL);
}

static void printed_after_free(void) {
    char *text = one_of_many(by_strdup, 40), line[100];
    if (!wrong) seen = snprintf(line, sizeof line, "%s", text);
    free(text);
    if (wrong) seen = snprintf(line, sizeof line, "%s", text);
    ask_again(by_strdup, 40, NULL);
}

static void copied_after_free(void) {
    char copy[1000];
    char* object = one_of_many(by_malloc, 1000);
    if (!wrong) memcpy(copy, object, sizeof copy);
    free(object);
    if (wrong) memcpy(copy, object, sizeof copy);
    ask_again(by_malloc, 1000, NULL);
}

static void large_read_after_free(void) {
    char* object = one_of_many(by_malloc, 40000);
    free(object);
    if (wrong) seen = object[20000];
    ask_again(by_malloc, 40000, NULL);
}

static void mapped_read_after_free(void) {
    char* object = (char*)memset(by_malloc(4000000), 1, 4000000);
    free(object);
    if (wrong) seen = object[2000000];
}

// ---- writes, which may hit what the heap keeps in the object

static void write_after_free(maker make, size_t bytes, size_t offset) {
    char* object = one_of_many(make, bytes);
    free(object);
    if (wrong) memset(object + offset, 'w', 8);
    ask_again(make, bytes, NULL);
}

static void first_word_written(void) {
    write_after_free(by_malloc, 48, 0);
}
static void second_word_written(void) {
    write_after_free(by_malloc, 48, 8);
}
static void first_word_of_16_written(void) {
    write_after_free(by_malloc, 16, 0);
}
static void middle_written(void) {
    write_after_free(by_malloc, 512, 256);
}
static void end_of_4096_written(void) {
    write_after_free(by_malloc, 4096, 4088);
}
static void first_word_of_calloc_written(void) {
    write_after_free(by_calloc, 64, 0);
}
static void first_word_of_large_written(void) {
    write_after_free(by_malloc, 40000, 0);
}
static void first_word_of_aligned_written(void) {
    write_after_free(by_aligned, 256, 0);
}

static void cleared_after_free(void) {
    char* object = one_of_many(by_malloc, 96);
    if (!wrong) memset(object, 0, 96);
    free(object);
    if (wrong) memset(object, 0, 96);
    ask_again(by_malloc, 96, NULL);
}

static void many_written_after_free(void) {
    one_of_many(by_malloc, 64);
    for (int i = 0; i < crowd_count; ++i) free(crowd[i]);
    for (int i = 0; i < crowd_count && wrong; ++i) memset(crowd[i], 'w', 64);
    ask_again(by_malloc, 64, NULL);
}

static void written_then_freed_again(void) {
    char* object = one_of_many(by_malloc, 80);
    free(object);
    if (wrong) memset(object, 0, 80);
    if (wrong) free(object);
    ask_again(by_malloc, 80, object);
}

// ---- old names of an object

struct session {
    char* name;
    long* counter;
};

static void through_struct(void) {
    struct session session = {NULL, (long*)one_of_many(by_malloc, 24)};
    free(session.counter);
    if (wrong) ++*session.counter;
    ask_again(by_malloc, 24, NULL);
}

static void release(struct session* session) {
    free(session->counter);
    if (!wrong) session->counter = NULL;
}

static void via_function(void) {
    struct session session = {NULL, (long*)one_of_many(by_malloc, 32)};
    release(&session);
    if (session.counter != NULL) *session.counter = 77;
    ask_again(by_malloc, 32, NULL);
}

static void old_after_realloc(void) {
    char* object = one_of_many(by_malloc, 48);
    char* grown = (char*)realloc(object, 3000);
    memset(wrong ? object : grown, 'w', 48);
    ask_again(by_malloc, 48, NULL);
}

static void inner_pointer_after_realloc(void) {
    char* object = one_of_many(by_malloc, 128);
    long* inside = (long*)(object + 64);
    object = (char*)realloc(object, 2000);
    if (!wrong) inside = (long*)(object + 64);
    *inside = 77;
    ask_again(by_malloc, 128, NULL);
}

static void handed_to_another(void) {
    char* object = one_of_many(by_malloc, 56);
    free(object);
    char* younger = (char*)by_malloc(56);
    if (wrong) memset(object, 'w', 56);
    free(younger);
    ask_again(by_malloc, 56, NULL);
}

// The second free is of the younger object, where the heap has put that in the same place.
static void freed_in_place_of_another(void) {
    char* object = one_of_many(by_malloc, 72);
    free(object);
    char* younger = (char*)by_malloc(72);
    if (wrong && younger == object) free(object);
    ask_again(by_malloc, 72, younger);
}

// ---- lists

struct node {
    struct node* next;
    long value;
};

static struct node* list_of(int count) {
    struct node* list = NULL;
    for (int i = 0; i < count; ++i) {
        struct node* made = (struct node*)by_malloc(sizeof *made);
        *made = (struct node){list, i};
        list = made;
    }
    return list;
}

static void value_after_free_in_list(void) {
    for (struct node *node = list_of(200), *next = NULL; node != NULL; node = next) {
        next = node->next;
        if (!wrong) seen += node->value;
        free(node);
        if (wrong) seen += node->value;
    }
    ask_again(by_malloc, sizeof(struct node), NULL);
}

static void head_kept_after_free(void) {
    struct node *list = list_of(200), *head = list;
    list = list->next;
    free(head);
    if (wrong) head->value = 7;
    ask_again(by_malloc, sizeof *list, NULL);
}

// ---- threads

static void* write_in_thread(void* object) {
    memset(object, 'w', 16);
    return NULL;
}

static void written_by_other_thread(void) {
    char* object = one_of_many(by_malloc, 48);
    free(object);
    if (wrong) in_thread(write_in_thread, object);
    ask_again(by_malloc, 48, NULL);
}

static void freed_by_other_thread(void) {
    char* object = one_of_many(by_malloc, 48);
    in_thread(free_in_thread, object);
    if (wrong) memset(object, 'w', 48);
    ask_again(by_malloc, 48, NULL);
}

static const struct misuse cases[] = {
    {"read_after_free", "pool", read_after_free},
    {"text_after_free", "pool", text_after_free},
    {"printed_after_free", "pool", printed_after_free},
    {"copied_after_free", "pool", copied_after_free},
    {"large_read_after_free", "fallback", large_read_after_free},
    {"mapped_read_after_free", "fallback", mapped_read_after_free},
    {"first_word_written", "pool", first_word_written},
    {"second_word_written", "pool", second_word_written},
    {"first_word_of_16_written", "pool", first_word_of_16_written},
    {"middle_written", "pool", middle_written},
    {"end_of_4096_written", "pool", end_of_4096_written},
    {"first_word_of_calloc_written", "pool", first_word_of_calloc_written},
    {"first_word_of_large_written", "fallback", first_word_of_large_written},
    {"first_word_of_aligned_written", "fallback", first_word_of_aligned_written},
    {"cleared_after_free", "pool", cleared_after_free},
    {"many_written_after_free", "pool", many_written_after_free},
    {"written_then_freed_again", "pool", written_then_freed_again},
    {"through_struct", "pool", through_struct},
    {"via_function", "pool", via_function},
    {"old_after_realloc", "pool", old_after_realloc},
    {"inner_pointer_after_realloc", "pool", inner_pointer_after_realloc},
    {"handed_to_another", "pool", handed_to_another},
    {"freed_in_place_of_another", "pool", freed_in_place_of_another},
    {"value_after_free_in_list", "pool", value_after_free_in_list},
    {"head_kept_after_free", "pool", head_kept_after_free},
    {"written_by_other_thread", "pool", written_by_other_thread},
    {"freed_by_other_thread", "pool", freed_by_other_thread},
};
MISUSE_MAIN(cases)
