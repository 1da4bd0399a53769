#include "workloads/perfect_numbers/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"

enum { least_room = 16 };

static struct scalar* new_scalar(uint32_t room) {
    const uint32_t larger = room < least_room ? least_room : room;
    struct scalar* made = or_exit(malloc(sizeof *made + larger));
    *made = (struct scalar){.references = 1, .room = larger};
    return made;
}

struct scalar* scalar_of_number(int32_t number) {
    struct scalar* made = new_scalar(0);
    made->number = number;
    made->has_number = true;
    return made;
}

struct scalar* scalar_of_text(const char* text, uint32_t length) {
    struct scalar* made = new_scalar(length + 1);
    memcpy(made->text, text, length);
    made->text[length] = 0;
    made->length = length;
    made->has_text = true;
    return made;
}

struct scalar* shared(struct scalar* scalar) {
    ++scalar->references;
    return scalar;
}

void drop(struct scalar* scalar) {
    if (--scalar->references == 0) free(scalar);
}

int32_t number_of(struct scalar* scalar) {
    if (!scalar->has_number) scalar->number = (int32_t)strtoll(scalar->text, NULL, 10);
    scalar->has_number = true;
    return scalar->number;
}

const char* text_of(struct scalar* scalar) {
    if (!scalar->has_text) {
        scalar->length = (uint32_t)snprintf(scalar->text, scalar->room, "%ld", (long)scalar->number);
        scalar->has_text = true;
    }
    return scalar->text;
}

/// One that only the caller holds, with so much room.
static struct scalar* own_with_room(struct scalar* scalar, uint32_t room) {
    if (scalar->references == 1 && scalar->room >= room) return scalar;
    const uint32_t wanted = room + room / 2;
    if (scalar->references > 1) {
        struct scalar* made = new_scalar(wanted);
        made->length = scalar->length;
        memcpy(made->text, scalar->text, scalar->length + 1);
        drop(scalar);
        return made;
    }
    struct scalar* made = or_exit(realloc(scalar, sizeof *scalar + wanted));
    made->room = wanted;
    return made;
}

struct scalar* appended(struct scalar* scalar, struct scalar* other) {
    const char* text = text_of(other);
    text_of(scalar);
    struct scalar* made = own_with_room(scalar, scalar->length + other->length + 1);
    memcpy(made->text + made->length, text, other->length + 1);
    made->length += other->length;
    made->has_text = true;
    made->has_number = false;
    return made;
}
