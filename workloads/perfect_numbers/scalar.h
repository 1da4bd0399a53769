// Values that are text and number at once, as Perl's. Nobody changes one that others hold too.
#ifndef WORKLOADS_PERFECT_NUMBERS_SCALAR_H
#define WORKLOADS_PERFECT_NUMBERS_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

/// No pointers, so it has the same size on every machine: 36 bytes where the text is short.
struct scalar {
    uint32_t references;
    uint32_t length;  ///< of the text
    uint32_t room;    ///< for the text and the 0 behind it
    int32_t number;
    bool has_number, has_text;  ///< one of both at least; the other is made when it is asked for
    char text[] __attribute__((aligned(4)));
};

/// The caller holds what is new.
struct scalar* scalar_of_number(int32_t number);
struct scalar* scalar_of_text(const char* text, uint32_t length);

/// One more holds it.
struct scalar* shared(struct scalar* scalar);
/// One holds it less; the last one releases it.
void drop(struct scalar* scalar);

/// The number that the text begins with, else 0.
int32_t number_of(struct scalar* scalar);
const char* text_of(struct scalar* scalar);
/// Takes the first over, and gives one with the other's text behind. They are two, or shared.
struct scalar* appended(struct scalar* scalar, struct scalar* other);

#endif
