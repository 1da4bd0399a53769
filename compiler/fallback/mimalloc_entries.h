// mimalloc as the malloc of the program that it is linked into. mimalloc.c has it after all of mimalloc's own
// source, as aliases are of the same source: one object, of which the linker sees these names alone, so that
// a program may have a mimalloc of its own beside it.
#pragma once

#include <stddef.h>

// What a program calls in its place must be its own malloc, so the linker takes this object for any of these.
#define IS(function) __attribute__((alias(#function), used, visibility("default"), copy(function)))
void* malloc(size_t bytes) IS(mi_malloc);
void* calloc(size_t count, size_t bytes) IS(mi_calloc);
void* realloc(void* object, size_t bytes) IS(mi_realloc);
void free(void* object) IS(mi_free);

// For aligned.c.
void* malloom_mimalloc_aligned(size_t bytes, size_t alignment) IS(mi_malloc_aligned);
size_t malloom_mimalloc_usable(const void* object) IS(mi_usable_size);

// Libraries that are loaded later may ask for these: they come with malloc.
extern void* memalign(size_t alignment, size_t bytes);
__attribute__((used)) static void* (*const brings_aligned)(size_t alignment, size_t bytes) = memalign;

__attribute__((used)) static const char malloom_mimalloc_build[] = MALLOOM_MIMALLOC_BUILD;
