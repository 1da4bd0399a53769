// CWE-590, what no heap handed out is freed, so nothing serves it: the table at the end says "none".
#include "misuse.h"

#include <alloca.h>
#include <errno.h>
#include <locale.h>
#include <sys/mman.h>
#include <unistd.h>

/// Frees it in place of an object of the heap, while many others live and call sites have their pools.
static void free_in_place(void* outside) {
    char* object = one_of_many(by_malloc, 64);
    free(wrong ? outside : object);
    if (wrong) ask_again(by_malloc, 64, outside);
}

// ---- stacks

static void local_variable(void) {
    long number = 7;
    free_in_place(&number);
}

static void local_array(void) {
    char text[256] = "text";
    free_in_place(text);
}

static void inside_local_array(void) {
    char text[256] = "text";
    free_in_place(text + 64);
}

static void variable_length_array(void) {
    const int length = 100 + (int)(getpid() % 2);
    char text[length];
    memset(text, 0, (size_t)length);
    free_in_place(text);
}

static void of_alloca(void) {
    char* text = (char*)alloca(200);
    memset(text, 0, 200);
    free_in_place(text);
}

struct message {
    char* text;
    char buffer[120];
};

static void destroy(struct message* message) {
    if (wrong || message->text != message->buffer) free(message->text);
}

// A small text lies in the struct itself, which the function that destroys it forgets.
static void buffer_in_struct(void) {
    struct message message = {message.buffer, "small"};
    one_of_many(by_malloc, 120);
    destroy(&message);
}

static void compound_literal(void) {
    free_in_place(&(struct message){NULL, "literal"});
}

static void parameter(struct message message) {
    free_in_place(&message);
}
static void passed_by_value(void) {
    const struct message message = {NULL, "by value"};
    parameter(message);
}

static void one_of_several_in_loop(void) {
    char kept[64] = "kept";
    char* texts[20];
    for (int i = 0; i < 20; ++i) texts[i] = i == 13 && wrong ? kept : (char*)by_malloc(64);
    for (int i = 0; i < 20; ++i) free(texts[i]);
}

static pthread_barrier_t meeting;
static void* shared;

static void* wait_with_local(void* unused) {
    char text[64] = "of another thread";
    shared = text;
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    return unused;
}

static void stack_of_other_thread(void) {
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    if (pthread_create(&thread, NULL, wait_with_local, NULL) != 0) exit(1);
    pthread_barrier_wait(&meeting);
    free_in_place(shared);
    pthread_barrier_wait(&meeting);
    pthread_join(thread, NULL);
}

static void* free_local_in_thread(void* unused) {
    char text[64] = "local";
    free_in_place(text);
    return unused;
}

static void local_in_thread(void) {
    in_thread(free_local_in_thread, NULL);
}

// ---- static memory

static long number_with_value = 7;
static char zeroed_array[300];
static const char constant_array[64] = "constant";
static _Thread_local char of_thread[64];

static void static_variable(void) {
    free_in_place(&number_with_value);
}
static void static_array(void) {
    free_in_place(zeroed_array);
}
static void inside_static_array(void) {
    free_in_place(zeroed_array + 128);
}
static void string_literal(void) {
    free_in_place((void*)"a literal");
}
static void constant(void) {
    free_in_place((void*)constant_array);
}
static void thread_local_array(void) {
    free_in_place(of_thread);
}
static void function(void) {
    free_in_place((void*)function);
}

// As an own allocator would have it: what stands before looks like the C library's header of as many bytes.
static void with_false_header(void) {
    static _Alignas(16) long words[40];
    for (int i = 1; i < 40; i += 10) words[i] = 0x51;
    free_in_place(words + 2);
}

static void default_text(void) {
    char* name = getenv("MISUSE_NO_SUCH_NAME");
    if (name == NULL) name = wrong ? (char*)"default" : (char*)by_strdup(8);
    one_of_many(by_strdup, 8);
    free(name);
}

// ---- memory of others

static void environment_value(void) {
    free_in_place(getenv("PATH"));
}

static void whole_mapping(void) {
    free_in_place(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static void inside_mapping(void) {
    char* mapped = (char*)mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(mapped, 0x41, 65536);
    free_in_place(mapped + 4112);
}

static void of_program_break(void) {
    char* own = (char*)sbrk(4096);
    free_in_place(own + 64);
}

static void stream_of_library(void) {
    free_in_place(stdout);
}
static void text_of_strerror(void) {
    free_in_place(strerror(ENOENT));
}
static void words_of_locale(void) {
    free_in_place(localeconv()->decimal_point);
}
static void place_of_errno(void) {
    free_in_place(&errno);
}

// ---- no memory at all

static void small_number(void) {
    free_in_place((void*)16);
}
static void unmapped_address(void) {
    free_in_place((void*)0x123456789000);
}
static void text_as_pointer(void) {
    free_in_place((void*)0x6161616161616160);
}
static void poisoned_pointer(void) {
    free_in_place((void*)(uintptr_t)0xfffffffffffffff0);
}

// ---- realloc

static void realloc_of_local(void) {
    char text[64] = "local";
    char* object = one_of_many(by_malloc, 64);
    free(realloc(wrong ? text : object, 200));
}

static void realloc_of_static(void) {
    char* object = one_of_many(by_malloc, 64);
    free(realloc(wrong ? zeroed_array + 16 : object, 200));
}

static const struct misuse cases[] = {
    {"local_variable", "none", local_variable},
    {"local_array", "none", local_array},
    {"inside_local_array", "none", inside_local_array},
    {"variable_length_array", "none", variable_length_array},
    {"of_alloca", "none", of_alloca},
    {"buffer_in_struct", "none", buffer_in_struct},
    {"compound_literal", "none", compound_literal},
    {"passed_by_value", "none", passed_by_value},
    {"one_of_several_in_loop", "none", one_of_several_in_loop},
    {"stack_of_other_thread", "none", stack_of_other_thread},
    {"local_in_thread", "none", local_in_thread},
    {"static_variable", "none", static_variable},
    {"static_array", "none", static_array},
    {"inside_static_array", "none", inside_static_array},
    {"string_literal", "none", string_literal},
    {"constant", "none", constant},
    {"thread_local_array", "none", thread_local_array},
    {"function", "none", function},
    {"with_false_header", "none", with_false_header},
    {"default_text", "none", default_text},
    {"environment_value", "none", environment_value},
    {"whole_mapping", "none", whole_mapping},
    {"inside_mapping", "none", inside_mapping},
    {"of_program_break", "none", of_program_break},
    {"stream_of_library", "none", stream_of_library},
    {"text_of_strerror", "none", text_of_strerror},
    {"words_of_locale", "none", words_of_locale},
    {"place_of_errno", "none", place_of_errno},
    {"small_number", "none", small_number},
    {"unmapped_address", "none", unmapped_address},
    {"text_as_pointer", "none", text_as_pointer},
    {"poisoned_pointer", "none", poisoned_pointer},
    {"realloc_of_local", "none", realloc_of_local},
    {"realloc_of_static", "none", realloc_of_static},
};
MISUSE_MAIN(cases)
