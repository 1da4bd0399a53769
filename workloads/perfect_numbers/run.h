// Runs a script's statements.
#ifndef WORKLOADS_PERFECT_NUMBERS_RUN_H
#define WORKLOADS_PERFECT_NUMBERS_RUN_H

#include "workloads/perfect_numbers/syntax.h"

enum { buckets = 16 };

/// The variables that have been set, by name.
struct variables {
    struct entry* first[buckets];
};

/// Takes the value over.
void set_variable(struct variables* variables, const char* name, struct scalar* value);
void release_variables(struct variables* variables);
/// Ends the program with a message where it divides by 0 or uses what is not there.
void run(const struct node* first, struct variables* variables);

#endif
