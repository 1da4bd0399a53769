/* newlib's mallocr.c includes it and needs nothing of it. */
#ifndef MALLOOM_NEWLIB_UNISTD_H
#define MALLOOM_NEWLIB_UNISTD_H

#endif
