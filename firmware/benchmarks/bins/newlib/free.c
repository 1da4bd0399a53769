/* newlib's _free_r, with what gives memory back to the system. */
#define INTERNAL_NEWLIB
#define DEFINE_FREE
#include "mallocr.c"
