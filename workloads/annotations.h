// The thesis's calls (Cyll 2004, section 3.2) as the workloads make them. The plain version of a workload is
// the same source with every call reduced to the C library's own allocation or to nothing.
#ifndef WORKLOADS_ANNOTATIONS_H
#define WORKLOADS_ANNOTATIONS_H

#include <stdlib.h>

#ifdef WORKLOAD_ANNOTATED
#include "include/malloom/staticmalloc.h"
#else
#define malloc_init(name) ((void)(name))
#define ping(pointer, weight) ((void)(pointer))
#define ccmalloc(size, companion) ((void)(companion), malloc(size))
#define cccalloc(count, size, companion) ((void)(companion), calloc(count, size))
#endif

#endif
