#include "workloads/interpreter/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_arguments = 8, most_decimals = 24 };

/// What the language itself knows; those before mean_add are no calls.
enum meaning {
    mean_quote,
    mean_if,
    mean_define,
    mean_lambda,
    mean_begin,
    mean_add,
    mean_subtract,
    mean_multiply,
    mean_quotient,
    mean_remainder,
    mean_less,
    mean_equal,
    mean_pair,
    mean_first,
    mean_rest,
    mean_empty,
    mean_join,
    mean_part,
    mean_count,
    mean_text,
    mean_before,
    meanings_count
};
static const char* const names[meanings_count] = {
    "quote", "if",   "define", "lambda", "begin",  "+",    "-",    "*",     "quotient", "remainder", "<",
    "=",     "pair", "first",  "rest",   "empty?", "join", "part", "count", "text",     "before?"};

static void fail(const char* what) {
    fprintf(stderr, "interpreter: %s\n", what);
    exit(1);
}

void name_primitives(void) {
    for (int i = 0; i < meanings_count; ++i) {
        struct value* symbol = symbol_of(names[i], strlen(names[i]));
        symbol->symbol.meaning = i;
        drop(symbol);
    }
}

static struct value* value_of(const struct value* name, const struct value* frame) {
    for (; frame != NULL; frame = frame->frame.outer) {
        const struct value* known = frame->frame.names;
        for (size_t i = 0; known != NULL; known = known->pair.rest, ++i) {
            if (known->pair.first == name) return held(frame->frame.values[i]);
        }
    }
    if (name->symbol.definition == NULL) fail("a name without a value");
    return held(name->symbol.definition);
}

// ---- what is known of a result: it is there already, or a draft of what is to be made

struct result {
    struct value* value;
    struct draft draft;
    bool is_new;
    char decimals[most_decimals];  ///< that a draft may point to
};

static void give(struct result* result, struct value* value) {
    result->value = held(value);
    result->is_new = false;
}
static struct draft* new_draft(struct result* result) {
    result->is_new = true;
    return &result->draft;
}

// ---- primitives

static size_t needed_by(long meaning) {
    switch (meaning) {
        case mean_part:
            return 3;
        case mean_first:
        case mean_rest:
        case mean_empty:
        case mean_count:
        case mean_text:
            return 1;
        default:
            return 2;
    }
}

static long calculate(long meaning, long a, long b) {
    switch (meaning) {
        case mean_add:
            return a + b;
        case mean_subtract:
            return a - b;
        case mean_multiply:
            return a * b;
        case mean_quotient:
            return b == 0 ? 0 : a / b;
        case mean_remainder:
            return b == 0 ? 0 : a % b;
        case mean_less:
            return a < b;
        default:
            return a == b;
    }
}

static void join(struct draft* draft, const struct value* a, const struct value* b) {
    draft_text(draft, a->text.letters, a->text.length);
    draft->length += b->text.length;
    draft->more_letters = b->text.letters;
}

static void perform_on_texts(long meaning, struct value** given, struct result* result) {
    const struct value* text = given[0];
    switch (meaning) {
        case mean_join:
            join(new_draft(result), text, given[1]);
            break;
        case mean_part:
            draft_text(new_draft(result), text->text.letters + given[1]->number, (size_t)given[2]->number);
            break;
        case mean_count:
            draft_number(new_draft(result), (long)text->text.length);
            break;
        case mean_text:
            snprintf(result->decimals, most_decimals, "%ld", text->number);
            draft_text(new_draft(result), result->decimals, strlen(result->decimals));
            break;
        default:
            draft_number(new_draft(result), strcmp(text->text.letters, given[1]->text.letters) < 0);
    }
}

static void perform(long meaning, struct value** given, struct result* result) {
    switch (meaning) {
        case mean_pair:
            draft_pair(new_draft(result), held(given[0]), held(given[1]));
            break;
        case mean_first:
            give(result, given[0]->pair.first);
            break;
        case mean_rest:
            give(result, given[0]->pair.rest);
            break;
        case mean_empty:
            draft_number(new_draft(result), given[0] == NULL);
            break;
        default:
            if (meaning < mean_pair) {
                draft_number(new_draft(result), calculate(meaning, given[0]->number, given[1]->number));
            } else {
                perform_on_texts(meaning, given, result);
            }
    }
}

// ---- evaluation

struct call {
    struct value* function;  ///< NULL of a primitive
    struct value* given[most_arguments];
    size_t count;
};

static void evaluate_arguments(struct call* call, const struct value* left, struct value* frame) {
    for (; left != NULL; left = left->pair.rest) {
        if (call->count == most_arguments) fail("too many arguments");
        call->given[call->count++] = evaluate(left->pair.first, frame);
    }
}

/// What a draft may point to until the value is made.
static void drop_given(struct call* call) {
    for (size_t i = 0; i < call->count; ++i) drop(call->given[i]);
}

static long meaning_of(const struct value* name) {
    return name->kind == kind_symbol ? name->symbol.meaning : no_meaning;
}

/// The result of a primitive, or the frame in which the function goes on.
static void begin_call(struct call* call, struct value* expression, struct value* frame,
                       struct result* result) {
    const long meaning = meaning_of(expression->pair.first);
    if (meaning == no_meaning) call->function = evaluate(expression->pair.first, frame);
    evaluate_arguments(call, expression->pair.rest, frame);
    if (meaning != no_meaning) {
        if (call->count < needed_by(meaning)) fail("too few arguments");
        perform(meaning, call->given, result);
        return;
    }
    const struct value* function = call->function;
    struct draft* draft = new_draft(result);
    draft->kind = kind_frame;
    draft->parts[0] = held(function->closure.frame);
    draft->parts[1] = held(function->closure.parameters);
    draft->values = call->given;
    draft->length = call->count;
}

static bool is_true(struct value* value) {
    const bool is = value != NULL && (value->kind != kind_number || value->number != 0);
    drop(value);
    return is;
}

static struct value* branch_of(const struct value* parts, struct value* frame) {
    const struct value* branches = parts->pair.rest;
    const bool is = is_true(evaluate(parts->pair.first, frame));
    return is ? branches->pair.first : branches->pair.rest->pair.first;
}

static struct value* last_of(const struct value* parts, struct value* frame) {
    for (; parts->pair.rest != NULL; parts = parts->pair.rest) drop(evaluate(parts->pair.first, frame));
    return parts->pair.first;
}

static void define(const struct value* parts, struct value* frame) {
    struct value* symbol = parts->pair.first;
    drop(symbol->symbol.definition);
    symbol->symbol.definition = evaluate(parts->pair.rest->pair.first, frame);
}

static void draft_closure(struct draft* draft, const struct value* parts, struct value* frame) {
    draft->kind = kind_closure;
    draft->parts[0] = held(parts->pair.first);
    draft->parts[1] = held(parts->pair.rest->pair.first);
    draft->parts[2] = held(frame);
    draft->length = 0;
}

/// Whether the expression became another one that is to be evaluated in its place.
static bool go_on(long meaning, struct value** expression, struct value* frame, struct result* result) {
    const struct value* parts = (*expression)->pair.rest;
    switch (meaning) {
        case mean_if:
            *expression = branch_of(parts, frame);
            return true;
        case mean_begin:
            *expression = last_of(parts, frame);
            return true;
        case mean_lambda:
            draft_closure(new_draft(result), parts, frame);
            return false;
        case mean_define:
            define(parts, frame);
            return false;
        default:
            give(result, parts->pair.first);
            return false;
    }
}

/// Puts what the expression gives, or a draft of it, into the result, and a function that is to go on into
/// the call. False where the expression became another one.
static bool take_step(struct value** expression, struct value* frame, struct call* call,
                      struct result* result) {
    struct value* now = *expression;
    result->value = NULL;
    result->is_new = false;
    if (now == NULL || (now->kind != kind_pair && now->kind != kind_symbol)) {
        give(result, now);
        return true;
    }
    if (now->kind == kind_symbol) {
        result->value = value_of(now, frame);
        return true;
    }
    const long meaning = meaning_of(now->pair.first);
    if (meaning != no_meaning && meaning < mean_add) return !go_on(meaning, expression, frame, result);
    begin_call(call, now, frame, result);
    return true;
}

/// Calls in the last place go on in the same loop. Everything that a program makes is made at its one place.
struct value* evaluate(struct value* expression, struct value* frame) {
    held(frame);
    for (;;) {
        struct result result;
        struct call call;
        call.function = NULL;
        call.count = 0;
        if (!take_step(&expression, frame, &call, &result)) continue;
        struct value* made = result.is_new ? new_value(&result.draft) : result.value;
        drop(frame);
        if (call.function == NULL) {
            drop_given(&call);
            return made;
        }
        expression = call.function->closure.body;
        frame = made;
        drop(call.function);
    }
}
