/* newlib's _malloc_r. Its source is compiled once for each part that is wanted. */
#define INTERNAL_NEWLIB
#define DEFINE_MALLOC
#include "mallocr.c"
