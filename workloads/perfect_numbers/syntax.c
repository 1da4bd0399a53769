#include "workloads/perfect_numbers/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

static struct node* new_node(enum kind kind, struct node* left, struct node* right) {
    struct node* made = or_exit(calloc(1, sizeof *made));
    made->kind = (unsigned char)kind;
    made->left = left;
    made->right = right;
    return made;
}

void release_nodes(struct node* first) {
    for (struct node *at = first, *next; at != NULL; at = next) {
        next = at->next;
        release_nodes(at->left);
        release_nodes(at->right);
        if (at->value != NULL) drop(at->value);
        free(at->name);
        free(at);
    }
}

static const char* without_space(const char* at) {
    return at + strspn(at, " \n");
}

/// Whether the sign comes next; then it is passed.
static bool passes(const char** at, const char* sign) {
    const char* begin = without_space(*at);
    const size_t length = strlen(sign);
    const bool is_there = strncmp(begin, sign, length) == 0;
    if (is_there) *at = begin + length;
    return is_there;
}

_Noreturn static void fail(const char* at) {
    fprintf(stderr, "the script has a fault before \"%.20s\"\n", at);
    exit(1);
}

static void need(const char** at, const char* sign) {
    if (!passes(at, sign)) fail(*at);
}

/// NULL where there is no name.
static char* name_at(const char** at) {
    const char* begin = without_space(*at);
    const size_t length = strspn(begin, "abcdefghijklmnopqrstuvwxyz");
    if (length == 0) return NULL;
    *at = begin + length;
    return memcpy(or_exit(calloc(length + 1, 1)), begin, length);
}

/// Comparisons of sums of products of operands, from the level that is given: 0 for a whole expression.
static struct node* level_at(const char** at, int level);

static struct node* constant_at(const char** at) {
    const bool is_text = passes(at, "\"");
    const char* begin = is_text ? *at : without_space(*at);
    const size_t length = is_text ? strcspn(begin, "\"") : strspn(begin, "0123456789");
    if (is_text ? begin[length] == 0 : length == 0) fail(begin);
    struct node* made = new_node(constant, NULL, NULL);
    made->value = scalar_of_text(begin, (uint32_t)length);
    *at = begin + length + is_text;
    return made;
}

static struct node* operand_at(const char** at) {
    if (passes(at, "(")) {
        struct node* inner = level_at(at, 0);
        need(at, ")");
        return inner;
    }
    char* name = name_at(at);
    if (name == NULL) return constant_at(at);
    struct node* made = new_node(variable, NULL, NULL);
    made->name = name;
    if (passes(at, "(")) {
        made->kind = function;
        made->left = level_at(at, 0);
        need(at, ")");
    }
    return made;
}

/// Passes the first of these signs that comes next, and gives it; 0 where none does.
static char sign_at(const char** at, const char* const* signs) {
    for (; *signs != NULL; ++signs) {
        if (passes(at, *signs)) return (*signs)[0] == '<' && (*signs)[1] == '=' ? 'L' : **signs;
    }
    return 0;
}

static struct node* level_at(const char** at, int level) {
    static const char* const signs[][5] = {{"<=", "<", "==", "ne"}, {"+", "-", "."}, {"*", "/", "%"}};
    if (level == 3) return operand_at(at);
    struct node* made = level_at(at, level + 1);
    for (char sign; (sign = sign_at(at, signs[level])) != 0;) {
        made = new_node(operation, made, level_at(at, level + 1));
        made->sign = sign;
    }
    return made;
}

/// Up to the end or a bracket.
static struct node* statements_at(const char** at);

static struct node* block_at(const char** at, enum kind kind) {
    need(at, "(");
    struct node* when = level_at(at, 0);
    need(at, ")");
    need(at, "{");
    struct node* made = new_node(kind, when, statements_at(at));
    need(at, "}");
    return made;
}

static struct node* statement_at(const char** at) {
    if (passes(at, "while")) return block_at(at, loop);
    if (passes(at, "if")) return block_at(at, condition);
    struct node* made = new_node(printing, NULL, NULL);
    if (!passes(at, "print")) {
        made->name = name_at(at);
        made->kind = passes(at, ".=") ? appending : assignment;
        if (made->name == NULL) fail(*at);
        if (made->kind == assignment) need(at, "=");
    }
    made->left = level_at(at, 0);
    need(at, ";");
    return made;
}

static struct node* statements_at(const char** at) {
    struct node *first = NULL, **last = &first;
    for (; *without_space(*at) != 0 && *without_space(*at) != '}'; last = &(*last)->next)
        *last = statement_at(at);
    return first;
}

struct node* read_script(const char* script) {
    const char* at = script;
    struct node* made = statements_at(&at);
    if (*without_space(at) != 0) fail(at);
    return made;
}
