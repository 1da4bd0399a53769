/* For newlib's mallocr.c. */
#ifndef MALLOOM_NEWLIB_ERRNO_H
#define MALLOOM_NEWLIB_ERRNO_H

#define ENOMEM 12

#endif
