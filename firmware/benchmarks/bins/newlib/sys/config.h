/* For newlib's mallocr.c: the integer that is as wide as a pointer. */
#ifndef MALLOOM_NEWLIB_SYS_CONFIG_H
#define MALLOOM_NEWLIB_SYS_CONFIG_H

#define _POINTER_INT long

#endif
