/* pools.h: pools of structures, and of structures whose fields lie in arrays (Curial et al.: MPADS, ISMM
 * 2008, sections 2.1.2 and 2.3.1). What `malloom cc` compiles calls these; they may be called by hand as
 * well. Link with libmalloom_pools.a, which `malloom cc` does by itself.
 *
 * A structure is known by a number, struct_id, from 0 to MALLOOM_MOST_STRUCTURES - 1; its first call says the
 * sizes, and all later ones say the same. Pools have pool_size bytes, a power of two from 4 KiB (split ones)
 * or 16 KiB to MALLOOM_LARGEST_POOL, begin at multiples of it, and hold pool_size / struct_size objects. Of
 * structures that are not split it may be 0: pools then begin anywhere, each twice as large as the one
 * before.
 *
 * All are thread-safe. Address space is taken as it is needed. Objects that are not split are malloc's where
 * pools have no memory, and for sizes that they cannot have. Null, with errno ENOMEM, where there is no
 * memory at all, and for split objects of sizes that cannot be.
 *
 * The program, or shared library, that this is linked into has pools for itself. A library's address space
 * goes back when it is closed (dlclose), but for pools that have objects then: these stay valid for good, as
 * malloc's would, and nobody may free them. */
#ifndef MALLOOM_POOLS_H
#define MALLOOM_POOLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limits. Larger objects than the largest come from no pool of one size; pools of split structures are
 * no larger than the largest. */
#define MALLOOM_MOST_STRUCTURES 4096
#define MALLOOM_LARGEST_OBJECT 32768
#define MALLOOM_LARGEST_POOL 1048576

/* An object of struct_size bytes, aligned to 16, from a pool of its structure's; the second one zeroed, and
 * of num_objs * struct_size bytes, of which struct_size is the same in all calls and num_objs is too. */
void* malloom_pool_alloc(unsigned int struct_id, size_t struct_size, size_t pool_size);
void* malloom_pool_calloc(unsigned int struct_id, size_t num_objs, size_t struct_size, size_t pool_size);
/* An object of any function here but the split ones, or of malloc's, or null. */
void malloom_pool_free(void* object);
/* As operator new: throws where there is no memory. And as operator delete, of what that or operator new
 * gave. */
void* malloom_pool_new(unsigned int struct_id, size_t struct_size, size_t pool_size);
void malloom_pool_delete(void* object);
/* As operator new of std::nothrow, a reference to which comes last: what pools do not take is for the
 * program's own one, which is given before that. */
typedef void* malloom_new_or_null(size_t bytes, const void* nothrow);
void* malloom_pool_new_or_null(unsigned int struct_id, size_t struct_size, size_t pool_size,
                               malloom_new_or_null* otherwise, const void* nothrow);
/* As posix_memalign and aligned operator new, where pool_size is not 0 and struct_size a multiple of the
 * alignment: all objects of such pools are aligned so, those of malloom_pool_alloc too. And as aligned
 * operator delete. */
int malloom_pool_memalign(unsigned int struct_id, void** object, size_t struct_size, size_t pool_size);
void* malloom_pool_new_aligned(unsigned int struct_id, size_t struct_size, size_t pool_size,
                               size_t alignment);
void malloom_pool_delete_aligned(void* object, size_t alignment);

/* Objects of one structure that differ in size: as malloc, calloc, operator new, realloc, strdup and strndup.
 * Each structure has pools of its own for each size class that it asks for more than a few times. Large
 * objects are malloc's or operator new's. A struct_id may be used for these beside those above. What
 * malloom_pool_realloc is given may be any object of the above, or null. */
void* malloom_pool_alloc_any(unsigned int struct_id, size_t bytes);
void* malloom_pool_calloc_any(unsigned int struct_id, size_t count, size_t bytes);
void* malloom_pool_new_any(unsigned int struct_id, size_t bytes);
void* malloom_pool_new_or_null_any(unsigned int struct_id, size_t bytes, malloom_new_or_null* otherwise,
                                   const void* nothrow);
void* malloom_pool_realloc(unsigned int struct_id, void* object, size_t bytes);
char* malloom_pool_strdup(unsigned int struct_id, const char* text);
char* malloom_pool_strndup(unsigned int struct_id, const char* text, size_t most);

/* The address of a split object: it lies where its pool begins, and objects of one pool are first_field_size
 * bytes apart. Field n of an object at address p, of fields that are all as long as the first, lies at
 * p + n * first_field_size * (pool_size / struct_size); of others, its user says. Nothing is written to it.
 * The second one is of structures whose fields are all as long as the first, and zeroes them; num_objs is 1.
 */
void* malloom_split_alloc(unsigned int struct_id, size_t first_field_size, size_t struct_size,
                          size_t pool_size);
void* malloom_split_calloc(unsigned int struct_id, size_t first_field_size, size_t num_objs,
                           size_t struct_size, size_t pool_size);
/* As operator new: throws where there is no memory. */
void* malloom_split_new(unsigned int struct_id, size_t first_field_size, size_t struct_size,
                        size_t pool_size);
/* An object of the three above, or null. */
void malloom_split_free(void* object);

/* Arrays of structures whose fields lie in arrays of their own, of so many elements as each request asks for.
 * A structure's fields are divided into parts. All its elements share one region of addresses, where element
 * i has its part j at begins[j] + i * element_bytes[j]. Parts begin at multiples of 64, and not at multiples
 * of 4 KiB from each other where there are at most 64. An element is known by the address p of its part 0,
 * and its part j lies at begins[j] + (p - begins[0]) / element_bytes[0] * element_bytes[j].
 *
 * Thread-safe. Once a first request has returned, begins stays as it is, and whoever has an element may read
 * it. */
#define MALLOOM_MOST_PARTS 512

/* Of one structure, in static storage, as is what it points to: zero but for the first four. */
typedef struct malloom_arrays {
    unsigned int parts;                /* 1 to MALLOOM_MOST_PARTS */
    size_t structure_bytes;            /* a request for n elements asks for n times as many */
    const unsigned int* element_bytes; /* of each part: not 0, and a multiple of its alignment, at most 64 */
    uintptr_t* begins;                 /* of each part: written by the first request, before it returns */
    void* state;                       /* the run time's */
} malloom_arrays;

/* As malloc, calloc and operator new[]: the first of as many elements in a row as have so many bytes (count *
 * bytes), or of one, aligned as its part 0 is. The second one zeroes all their parts. Null, with errno
 * ENOMEM, where memory or address space is short, and for structures that cannot be; the third one throws
 * then. */
void* malloom_array_alloc(malloom_arrays* of, size_t bytes);
void* malloom_array_calloc(malloom_arrays* of, size_t count, size_t bytes);
void* malloom_array_new(malloom_arrays* of, size_t bytes);
/* What these gave for the same structure, or null. Any other address ends the program. */
void malloom_array_free(malloom_arrays* of, void* first_element);

/* The paper's names. */
#ifdef MALLOOM_PAPER_NAMES
#define pool_alloc malloom_pool_alloc
#define pool_calloc malloom_pool_calloc
#define pool_free malloom_pool_free
#define split_alloc malloom_split_alloc
#define split_calloc malloom_split_calloc
#define split_free malloom_split_free
#endif

#ifdef __cplusplus
}
#endif

#endif
