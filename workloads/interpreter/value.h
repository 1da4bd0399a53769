// The values of a small Lisp. Each is an object of its own on the heap, counted by references, and all are
// made by one function at one call site, whatever they are and however large.
#ifndef WORKLOADS_INTERPRETER_VALUE_H
#define WORKLOADS_INTERPRETER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { no_meaning = -1 };
enum kind { kind_number, kind_pair, kind_text, kind_symbol, kind_closure, kind_frame };

struct value {
    uint32_t kind;
    uint32_t references;
    union {
        long number;
        struct {
            struct value* first;
            struct value* rest;  ///< NULL is the empty list
        } pair;
        struct {
            size_t length;
            char letters[8];  ///< as many as the length, and a 0
        } text;
        struct {
            struct value* definition;  ///< its value in the program, outside of frames
            long meaning;              ///< of names that the language itself knows; else no_meaning
            char letters[8];
        } symbol;  ///< there is one of each name
        struct {
            struct value* parameters;
            struct value* body;
            struct value* frame;
        } closure;
        struct {
            struct value* outer;
            struct value* names;  ///< a list of symbols
            size_t count;
            struct value* values[1];  ///< as many
        } frame;
    };
};

/// What a value is to be, before it has a place. Takes over what it points to.
struct draft {
    enum kind kind;
    union {
        long number;
        struct value* parts[3];  ///< of a pair, a closure, a frame without its values
    };
    size_t length;        ///< of a text; values of a frame; else 0
    const char* letters;  ///< of a text, or its first ones
    size_t first_length;
    const char* more_letters;
    struct value** values;  ///< of a frame
};

/// Has the only call of malloc; never inlined, so that this stays one.
__attribute__((noinline)) struct value* new_value(struct draft* draft);

/// One reference more; NULL stays NULL.
static inline struct value* held(struct value* value) {
    if (value != NULL) ++value->references;
    return value;
}
/// One less; without any the value is released, and what it holds loses one too.
void drop(struct value* value);

static inline void draft_number(struct draft* draft, long number) {
    draft->kind = kind_number;
    draft->number = number;
    draft->length = 0;
}
static inline void draft_pair(struct draft* draft, struct value* first, struct value* rest) {
    draft->kind = kind_pair;
    draft->parts[0] = first;
    draft->parts[1] = rest;
    draft->length = 0;
}
static inline void draft_text(struct draft* draft, const char* letters, size_t length) {
    draft->kind = kind_text;
    draft->letters = letters;
    draft->length = length;
    draft->first_length = length;
}

/// The value that is written at *text, which moves behind it.
struct value* read_value(const char** text);
/// A reference that the caller is to drop.
struct value* symbol_of(const char* letters, size_t length);
/// With what they are defined as.
void release_symbols(void);

#endif
