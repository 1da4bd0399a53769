/* For o1heap.c: without assertions, as all heaps are measured. */
#ifndef MALLOOM_O1HEAP_ASSERT_H
#define MALLOOM_O1HEAP_ASSERT_H

#define assert(holds) ((void)0)
#define static_assert _Static_assert

#endif
