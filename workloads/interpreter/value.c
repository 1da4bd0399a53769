#include "workloads/interpreter/value.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

/// Bytes of each kind: so many, and more for each letter or value that it has.
static const struct {
    size_t begin, each;
} shapes[] = {
    [kind_number] = {offsetof(struct value, number) + sizeof(long), 0},
    [kind_pair] = {offsetof(struct value, pair) + 2 * sizeof(struct value*), 0},
    [kind_text] = {offsetof(struct value, text.letters) + 1, 1},
    [kind_symbol] = {offsetof(struct value, symbol.letters) + 1, 1},
    [kind_closure] = {offsetof(struct value, closure) + 3 * sizeof(struct value*), 0},
    [kind_frame] = {offsetof(struct value, frame.values), sizeof(struct value*)},
};

static void set_text(struct value* made, const struct draft* draft) {
    made->text.length = draft->length;
    memcpy(made->text.letters, draft->letters, draft->first_length);
    if (draft->length > draft->first_length) {
        memcpy(made->text.letters + draft->first_length, draft->more_letters,
               draft->length - draft->first_length);
    }
    made->text.letters[draft->length] = 0;
}

static void set_symbol(struct value* made, const struct draft* draft) {
    made->symbol.definition = NULL;
    made->symbol.meaning = no_meaning;
    memcpy(made->symbol.letters, draft->letters, draft->length);
    made->symbol.letters[draft->length] = 0;
}

static void set_frame(struct value* made, const struct draft* draft) {
    made->frame.outer = draft->parts[0];
    made->frame.names = draft->parts[1];
    made->frame.count = draft->length;
    memcpy((void*)made->frame.values, (const void*)draft->values, draft->length * sizeof(struct value*));
}

struct value* new_value(struct draft* draft) {
    // Without branches before the call: for those compilers would make a call each.
    const size_t bytes = shapes[draft->kind].begin + draft->length * shapes[draft->kind].each;
    struct value* made = or_exit(malloc(bytes));
    made->kind = draft->kind;
    made->references = 1;
    switch (draft->kind) {
        case kind_number:
            made->number = draft->number;
            break;
        case kind_pair:
            made->pair.first = draft->parts[0];
            made->pair.rest = draft->parts[1];
            break;
        case kind_closure:
            made->closure.parameters = draft->parts[0];
            made->closure.body = draft->parts[1];
            made->closure.frame = draft->parts[2];
            break;
        case kind_frame:
            set_frame(made, draft);
            break;
        case kind_symbol:
            set_symbol(made, draft);
            break;
        default:
            set_text(made, draft);
    }
    return made;
}

/// Drops what the value holds but one, which it gives: of a list the rest, so that long ones need no stack.
static struct value* drop_parts(struct value* value) {
    switch (value->kind) {
        case kind_pair:
            drop(value->pair.first);
            return value->pair.rest;
        case kind_closure:
            drop(value->closure.parameters);
            drop(value->closure.body);
            return value->closure.frame;
        case kind_frame:
            for (size_t i = 0; i < value->frame.count; ++i) drop(value->frame.values[i]);
            drop(value->frame.names);
            return value->frame.outer;
        case kind_symbol:
            return value->symbol.definition;
        default:
            return NULL;
    }
}

void drop(struct value* value) {
    while (value != NULL && --value->references == 0) {
        struct value* next = drop_parts(value);
        free(value);
        value = next;
    }
}

// ---- symbols and reading

enum { most_symbols = 256 };
static struct value* symbols[most_symbols];
static size_t symbols_count;

struct value* symbol_of(const char* letters, size_t length) {
    for (size_t i = 0; i < symbols_count; ++i) {
        const char* known = symbols[i]->symbol.letters;
        if (strncmp(known, letters, length) == 0 && known[length] == 0) return held(symbols[i]);
    }
    if (symbols_count == most_symbols) abort();
    struct draft draft;
    draft_text(&draft, letters, length);
    draft.kind = kind_symbol;
    symbols[symbols_count++] = new_value(&draft);
    return held(symbols[symbols_count - 1]);
}

void release_symbols(void) {
    for (size_t i = 0; i < symbols_count; ++i) {
        drop(symbols[i]->symbol.definition);
        symbols[i]->symbol.definition = NULL;
    }
    while (symbols_count > 0) drop(symbols[--symbols_count]);
}

static void pass_blanks(const char** text) {
    *text += strspn(*text, " \n");
}

static struct value* read_list(const char** text) {
    pass_blanks(text);
    if (**text == ')') {
        ++*text;
        return NULL;
    }
    struct value* first = read_value(text);
    struct draft draft;
    draft_pair(&draft, first, read_list(text));
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the new pair has taken over what the draft points to.
    return new_value(&draft);
}

struct value* read_value(const char** text) {
    pass_blanks(text);
    const char* begin = *text;
    if (*begin == '(') {
        ++*text;
        return read_list(text);
    }
    struct draft draft;
    if (*begin == '"') {
        const size_t length = strcspn(begin + 1, "\"");
        *text = begin + length + 2;
        draft_text(&draft, begin + 1, length);
        return new_value(&draft);
    }
    char* end = NULL;
    const long number = strtol(begin, &end, 10);
    const size_t length = strcspn(begin, " \n()");
    *text = begin + length;
    if (end != *text) return symbol_of(begin, length);
    draft_number(&draft, number);
    return new_value(&draft);
}
