// A script as a tree. Statements are
//     NAME = EXPRESSION;   NAME .= EXPRESSION;   print EXPRESSION;
//     while (EXPRESSION) { ... }   if (EXPRESSION) { ... }
// and expressions are made of names, numbers, "texts", + - * / % and . (texts together), comparisons (< <= ==
// of numbers, ne of texts), and of length(...), first(...) and others(...): a text's first word, and those
// behind it. No name begins with while, if or print.
#ifndef WORKLOADS_PERFECT_NUMBERS_SYNTAX_H
#define WORKLOADS_PERFECT_NUMBERS_SYNTAX_H

#include "workloads/perfect_numbers/scalar.h"

enum kind { constant, variable, operation, function, assignment, appending, printing, loop, condition };

struct node {
    unsigned char kind;
    char sign;             ///< of an operation, the first; L is <=
    char* name;            ///< of a variable or function
    struct scalar* value;  ///< of a constant
    struct node *left, *right;
    struct node* next;  ///< the statement behind
};

/// Ends the program with a message where the script has a fault.
struct node* read_script(const char* script);
void release_nodes(struct node* first);

#endif
