#include "workloads/perfect_numbers/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

struct entry {
    struct entry* next;
    char* name;
    struct scalar* value;
};

static struct entry** place_of(struct variables* variables, const char* name) {
    uint32_t hash = 0;
    for (const char* at = name; *at != 0; ++at) hash = hash * 33 + (unsigned char)*at;
    struct entry** at = &variables->first[hash % buckets];
    while (*at != NULL && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    return at;
}

void set_variable(struct variables* variables, const char* name, struct scalar* value) {
    struct entry** place = place_of(variables, name);
    if (*place == NULL) {
        const size_t bytes = strlen(name) + 1;
        *place = or_exit(calloc(1, sizeof **place));
        (*place)->name = memcpy(or_exit(malloc(bytes)), name, bytes);
    } else {
        drop((*place)->value);
    }
    (*place)->value = value;
}

void release_variables(struct variables* variables) {
    for (int i = 0; i < buckets; ++i) {
        for (struct entry *at = variables->first[i], *next; at != NULL; at = next) {
            next = at->next;
            drop(at->value);
            free(at->name);
            free(at);
        }
    }
}

_Noreturn static void fail(const char* what, const char* name) {
    fprintf(stderr, "the script %s %s\n", what, name);
    exit(1);
}

static struct entry* entry_of(struct variables* variables, const char* name) {
    struct entry* entry = *place_of(variables, name);
    if (entry == NULL) fail("uses a variable that is not set:", name);
    return entry;
}

static struct scalar* result_of(const char* name, struct scalar* argument) {
    const char *text = text_of(argument), *space = strchr(text, ' ');
    const uint32_t first = space == NULL ? argument->length : (uint32_t)(space - text);
    if (strcmp(name, "length") == 0) return scalar_of_number((int32_t)argument->length);
    if (strcmp(name, "first") == 0) return scalar_of_text(text, first);
    if (strcmp(name, "others") != 0) fail("uses a function that is not there:", name);
    return space == NULL ? scalar_of_text("", 0) : scalar_of_text(space + 1, argument->length - first - 1);
}

static int64_t computed(char sign, int64_t a, int64_t b) {
    if ((sign == '/' || sign == '%') && b == 0) fail("divides by", "0");
    switch (sign) {
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '*':
            return a * b;
        case '/':
            return a / b;
        case '%':
            return a % b;
        case '<':
            return a < b;
        case 'L':
            return a <= b;
        default:
            return a == b;
    }
}

/// Takes both over.
static struct scalar* combined(char sign, struct scalar* left, struct scalar* right) {
    struct scalar* made = NULL;
    if (sign == '.') {
        made = appended(left, right);
    } else {
        const int64_t number = sign == 'n' ? strcmp(text_of(left), text_of(right)) != 0
                                           : computed(sign, number_of(left), number_of(right));
        made = scalar_of_number((int32_t)number);
        drop(left);
    }
    drop(right);
    return made;
}

static struct scalar* value_of(const struct node* node, struct variables* variables) {
    if (node->kind == constant) return shared(node->value);
    if (node->kind == variable) return shared(entry_of(variables, node->name)->value);
    struct scalar* left = value_of(node->left, variables);
    if (node->kind == operation) return combined(node->sign, left, value_of(node->right, variables));
    struct scalar* made = result_of(node->name, left);
    drop(left);
    return made;
}

static bool is_true(const struct node* node, struct variables* variables) {
    struct scalar* value = value_of(node, variables);
    const bool answer = number_of(value) != 0;
    drop(value);
    return answer;
}

static void run_one(const struct node* node, struct variables* variables) {
    if (node->kind == loop) {
        while (is_true(node->left, variables)) run(node->right, variables);
    } else if (node->kind == condition) {
        if (is_true(node->left, variables)) run(node->right, variables);
    } else {
        struct scalar* value = value_of(node->left, variables);
        if (node->kind == assignment) {
            set_variable(variables, node->name, shared(value));
        } else if (node->kind == appending) {
            struct entry* entry = entry_of(variables, node->name);
            entry->value = appended(entry->value, value);
        } else {
            printf("%s\n", text_of(value));
        }
        drop(value);
    }
}

void run(const struct node* first, struct variables* variables) {
    for (const struct node* at = first; at != NULL; at = at->next) run_one(at, variables);
}
