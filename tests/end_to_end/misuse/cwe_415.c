// CWE-415, an object is freed twice; the table at the end says what serves it.
#include "misuse.h"

#include <stdarg.h>

// ---- directly

static void free_twice(maker make, size_t bytes) {
    char* object = one_of_many(make, bytes);
    free(object);
    if (wrong) free(object);
    ask_again(make, bytes, object);
}

static void in_a_row_16(void) {
    free_twice(by_malloc, 16);
}
static void in_a_row_48(void) {
    free_twice(by_malloc, 48);
}
static void in_a_row_1000(void) {
    free_twice(by_malloc, 1000);
}
static void in_a_row_4096(void) {
    free_twice(by_malloc, 4096);
}
static void of_calloc(void) {
    free_twice(by_calloc, 64);
}
static void of_realloc(void) {
    free_twice(by_realloc, 80);
}
static void of_strdup(void) {
    free_twice(by_strdup, 24);
}
static void of_aligned(void) {
    free_twice(by_aligned, 192);
}
static void large(void) {
    free_twice(by_malloc, 40000);
}
static void mapped(void) {
    free_twice(by_malloc, 400000);
}

static void resized_after_free(void) {
    char* object = one_of_many(by_malloc, 96);
    free(object);
    if (wrong) object = (char*)realloc(object, 90);
    ask_again(by_malloc, 96, object);
}

static void of_young_site(void) {
    char* objects[3];
    for (int i = 0; i < 3; ++i) objects[i] = (char*)by_malloc(56);
    free(objects[1]);
    if (wrong) free(objects[1]);
    ask_again(by_malloc, 56, objects[1]);
}

// ---- with other frees and requests between

static void other_object_between(void) {
    char* object = one_of_many(by_malloc, 48);
    free(object);
    free(crowd[0]);
    if (wrong) free(object);
    ask_again(by_malloc, 48, object);
}

static void hundred_frees_between(void) {
    char* object = one_of_many(by_malloc, 32);
    free(object);
    for (int i = 0; i < 100; ++i) free(crowd[i]);
    if (wrong) free(object);
    ask_again(by_malloc, 32, object);
}

static void all_freed_between(void) {
    char* object = one_of_many(by_malloc, 128);
    free(object);
    free_crowd_but(object);
    if (wrong) free(object);
    ask_again(by_malloc, 128, object);
}

static void other_pairs_between(void) {
    char* object = one_of_many(by_malloc, 2000);
    free(object);
    other_pairs(50000);
    if (wrong) free(object);
    ask_again(by_malloc, 2000, object);
}

// What was written into the object after the first free hides it from who looks there.
static void written_between(void) {
    char* object = one_of_many(by_malloc, 64);
    free(object);
    if (wrong) memset(object, 0, 64);
    if (wrong) free(object);
    ask_again(by_malloc, 64, object);
}

// ---- through other code

struct pair {
    char* first;
    char* second;
};

static void through_struct(void) {
    char* object = one_of_many(by_malloc, 40);
    const struct pair both = {object, wrong ? object : NULL};
    free(both.first);
    free(both.second);
    ask_again(by_malloc, 40, object);
}

static void destroy(struct pair* owner) {
    free(owner->first);
    if (!wrong) owner->first = NULL;
}

static void via_function(void) {
    struct pair owner = {one_of_many(by_malloc, 96), NULL};
    char* object = owner.first;
    destroy(&owner);
    destroy(&owner);
    ask_again(by_malloc, 96, object);
}

static bool parse(char* text) {
    if (text[0] != '{') {
        if (wrong) free(text);
        return false;
    }
    return true;
}

static void after_failure(void) {
    char* text = one_of_many(by_strdup, 100);
    const bool parsed = parse(text);
    if (!parsed) free(text);
    ask_again(by_strdup, 100, text);
}

static void in_loop(void) {
    char* object = one_of_many(by_malloc, 24);
    for (int pass = 0; pass < (wrong ? 2 : 1); ++pass) {
        for (int i = 0; i < crowd_count; ++i) free(crowd[i]);
    }
    ask_again(by_malloc, 24, object);
}

static void last_of_loop(void) {
    one_of_many(by_malloc, 256);
    char* last = (char*)crowd[crowd_count - 1];
    int i = 0;
    for (; i < crowd_count; ++i) free(crowd[i]);
    if (wrong) free(crowd[i - 1]);
    ask_again(by_malloc, 256, last);
}

static char* kept;

static void free_kept(void) {
    free(kept);
}

static void at_exit(void) {
    kept = one_of_many(by_malloc, 72);
    atexit(free_kept);
    if (wrong) free(kept);
}

static void through_variadic(int count, ...) {
    va_list objects;
    va_start(objects, count);
    for (int i = 0; i < count; ++i) free(va_arg(objects, void*));
    va_end(objects);
}

static void in_argument_list(void) {
    char* object = one_of_many(by_malloc, 112);
    through_variadic(wrong ? 3 : 2, object, crowd[0], object);
    ask_again(by_malloc, 112, object);
}

// ---- realloc

static void by_realloc_to_nothing(void) {
    char* object = one_of_many(by_malloc, 48);
    void* nothing = realloc(object, 0);
    if (wrong && nothing == NULL) free(object);
    ask_again(by_malloc, 48, object);
}

static void old_after_realloc(void) {
    char* object = one_of_many(by_malloc, 48);
    char* grown = (char*)realloc(object, 3000);
    if (wrong) free(object);
    free(grown);
    if (grown != object) ask_again(by_malloc, 48, object);
}

static void realloc_of_freed(void) {
    char* object = one_of_many(by_malloc, 160);
    free(object);
    if (wrong) free(realloc(object, 900));
    ask_again(by_malloc, 160, object);
}

// ---- lists and trees

struct node {
    struct node* left;
    struct node* right;
    struct node* held;
};

static struct node* node_of(struct node* left, struct node* right) {
    struct node* made = (struct node*)by_malloc(sizeof *made);
    *made = (struct node){left, right, NULL};
    return made;
}

static struct node* list_of(int count, struct node* rest) {
    for (int i = 0; i < count; ++i) rest = node_of(rest, NULL);
    return rest;
}

static void free_list(struct node* list, const struct node* end) {
    while (list != end) {
        struct node* next = list->left;
        free(list);
        list = next;
    }
}

static void list_with_shared_tail(void) {
    struct node* tail = list_of(1, NULL);
    struct node *first = list_of(200, tail), *second = list_of(200, tail);
    free_list(first, NULL);
    free_list(second, tail);
    if (wrong) free(tail);
    ask_again(by_malloc, sizeof *tail, tail);
}

static struct node* tree_of(int depth) {
    return depth == 0 ? NULL : node_of(tree_of(depth - 1), tree_of(depth - 1));
}

// With what its nodes hold.
static void free_tree(struct node* tree) {
    if (tree == NULL) return;
    free_tree(tree->left);
    free_tree(tree->right);
    free(tree->held);
    free(tree);
}

static void tree_with_shared_value(void) {
    struct node *tree = tree_of(8), *held = node_of(NULL, NULL);
    tree->held = held;
    if (wrong) tree->left->right->held = held;
    free_tree(tree);
    ask_again(by_malloc, sizeof *held, held);
}

// ---- threads

static void other_thread_again(void) {
    char* object = one_of_many(by_malloc, 48);
    free(object);
    if (wrong) in_thread(free_in_thread, object);
    ask_again(by_malloc, 48, object);
}

static void again_after_other_thread(void) {
    char* object = one_of_many(by_malloc, 64);
    in_thread(free_in_thread, object);
    if (wrong) free(object);
    ask_again(by_malloc, 64, object);
}

static void two_other_threads(void) {
    char* object = one_of_many(by_malloc, 208);
    in_thread(free_in_thread, object);
    if (wrong) in_thread(free_in_thread, object);
    ask_again(by_malloc, 208, object);
}

static void* make_in_thread(void* made) {
    *(char**)made = one_of_many(by_malloc, 88);
    return NULL;
}

static void of_ended_thread(void) {
    char* object = NULL;
    in_thread(make_in_thread, &object);
    free(object);
    if (wrong) free(object);
    ask_again(by_malloc, 88, object);
}

static pthread_barrier_t start;
static void* made_by[2][most_asked_again];

// Both free the same objects, in the same moment as far as two threads can, and ask for as many.
static void* race(void* side) {
    const size_t number = (size_t)side;
    pthread_barrier_wait(&start);
    for (int i = 0; i < crowd_count; ++i) {
        if (wrong || (size_t)i % 2 == number) free(crowd[i]);
    }
    pthread_barrier_wait(&start);
    for (int i = 0; i < most_asked_again; ++i) made_by[number][i] = by_malloc(48);
    return NULL;
}

static void require_made_once(void) {
    for (int i = 0; i < 2 * most_asked_again; ++i) {
        for (int k = 0; k < i; ++k) {
            if (made_by[0][i] == made_by[0][k]) leave_noticed_late();
        }
    }
}

static void two_threads_race(void) {
    pthread_t other;
    one_of_many(by_malloc, 48);
    pthread_barrier_init(&start, NULL, 2);
    if (pthread_create(&other, NULL, race, (void*)1) != 0) exit(1);
    race(NULL);
    pthread_join(other, NULL);
    require_made_once();
}

// ---- what the C library asked for

static void of_getline(void) {
    char* line = NULL;
    size_t size = 0;
    FILE* file = fopen("/proc/self/status", "r");
    if (file == NULL || getline(&line, &size, file) < 0) exit(1);
    free(line);
    if (wrong) free(line);
    ask_again(by_malloc, size, line);
    fclose(file);
}

static void of_asprintf(void) {
    char* text = NULL;
    if (asprintf(&text, "%060d", 7) < 0) exit(1);
    free(text);
    if (wrong) free(text);
    ask_again(by_malloc, 61, text);
}

static const struct misuse cases[] = {
    {"in_a_row_16", "pool", in_a_row_16},
    {"in_a_row_48", "pool", in_a_row_48},
    {"in_a_row_1000", "pool", in_a_row_1000},
    {"in_a_row_4096", "pool", in_a_row_4096},
    {"of_calloc", "pool", of_calloc},
    {"of_realloc", "pool", of_realloc},
    {"of_strdup", "pool", of_strdup},
    {"of_aligned", "fallback", of_aligned},
    {"large", "fallback", large},
    {"mapped", "fallback", mapped},
    {"of_young_site", "fallback", of_young_site},
    {"other_object_between", "pool", other_object_between},
    {"hundred_frees_between", "pool", hundred_frees_between},
    {"all_freed_between", "pool", all_freed_between},
    {"other_pairs_between", "pool", other_pairs_between},
    {"written_between", "pool", written_between},
    {"through_struct", "pool", through_struct},
    {"via_function", "pool", via_function},
    {"after_failure", "pool", after_failure},
    {"in_loop", "pool", in_loop},
    {"last_of_loop", "pool", last_of_loop},
    {"at_exit", "pool", at_exit},
    {"in_argument_list", "pool", in_argument_list},
    {"by_realloc_to_nothing", "pool", by_realloc_to_nothing},
    {"old_after_realloc", "pool", old_after_realloc},
    {"realloc_of_freed", "pool", realloc_of_freed},
    {"list_with_shared_tail", "pool", list_with_shared_tail},
    {"tree_with_shared_value", "pool", tree_with_shared_value},
    {"other_thread_again", "pool", other_thread_again},
    {"again_after_other_thread", "pool", again_after_other_thread},
    {"resized_after_free", "pool", resized_after_free},
    {"two_other_threads", "pool", two_other_threads},
    {"of_ended_thread", "pool", of_ended_thread},
    {"two_threads_race", "pool", two_threads_race},
    {"of_getline", "library", of_getline},
    {"of_asprintf", "library", of_asprintf},
};
MISUSE_MAIN(cases)
