/* newlib's mallocr.c includes it and needs nothing of it. */
#ifndef MALLOOM_NEWLIB_STDIO_H
#define MALLOOM_NEWLIB_STDIO_H

#endif
