// Evaluates what was read. Variables of the program lie with their symbols, those of functions in frames.
#ifndef WORKLOADS_INTERPRETER_EVALUATE_H
#define WORKLOADS_INTERPRETER_EVALUATE_H

#include "workloads/interpreter/value.h"

/// To be called once, before all others.
void name_primitives(void);
/// A reference that the caller is to drop. The expression must live until all is evaluated.
struct value* evaluate(struct value* expression, struct value* frame);

#endif
