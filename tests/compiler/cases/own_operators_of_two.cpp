// A program that replaces one form of operator new and one of delete.
// proves: 0 no
#include "foreign/operators_of_two.cpp"
#include "requests_of_two_operators.h"
