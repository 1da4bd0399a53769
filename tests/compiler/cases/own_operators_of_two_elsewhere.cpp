// A program whose operators new and delete, one form of each, are in code that is not seen.
// beside: foreign/operators_of_two.cpp
// proves: 0 pool
#include "requests_of_two_operators.h"
