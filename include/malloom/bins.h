/* bins.h: many small heaps at once, each over the memories that its owner gives it. C99 and later.
 *
 * The scheme is dlmalloc's (Lea 2000): boundary tags, free chunks in bins by their size, a chunk that becomes
 * free joins its free neighbours, a larger one is split. As in Lhuillier and Courousse's allocator (section
 * 2.3) the instance is the first argument of every function, the number of bins and the function from a size
 * to its bin belong to the instance, and the bins are laid out anew from counters of their use.
 *
 * Nothing here allocates, recurses, needs a C library or has state outside of its instance. One instance is
 * used by one thread at a time, or has hooks that lock; malloom_bins_free_later may be called at any time,
 * from interrupts and other cores too. Sizes are bytes. */
#ifndef MALLOOM_BINS_H
#define MALLOOM_BINS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct malloom_bins malloom_bins;

typedef enum malloom_bins_result {
    MALLOOM_BINS_OK = 0,
    MALLOOM_BINS_BAD_ARGUMENT, /* a setting that cannot be; an alignment that is no power of two */
    MALLOOM_BINS_TOO_SMALL,    /* a region, the storage of the bins, or memory for code */
    MALLOOM_BINS_OVERLAP,      /* a region that has bytes of another one */
    MALLOOM_BINS_IN_USE,       /* a region with living objects */
    MALLOOM_BINS_FOREIGN,      /* an address that is no object of this heap */
    MALLOOM_BINS_FREED_BEFORE, /* an object that is free already */
    MALLOOM_BINS_DAMAGED,      /* a boundary tag or a link that somebody has overwritten */
    MALLOOM_BINS_NO_MEMORY     /* no free chunk is large enough */
} malloom_bins_result;

/* From the bytes of a chunk to its bin. Bins are in the order of the sizes that they hold. */
typedef unsigned int (*malloom_bin_function)(size_t chunk_bytes, const malloom_bins* heap);

/* dlmalloc 2.6's 127 bins, compiled in. */
unsigned int malloom_bins_original(size_t chunk_bytes, const malloom_bins* heap);
/* A search in the table of the instance. */
unsigned int malloom_bins_variable(size_t chunk_bytes, const malloom_bins* heap);

enum {
    MALLOOM_BINS_ORIGINAL_COUNT = 127,
    MALLOOM_BINS_MOST = 1023, /* one behind the last has a bit too */
    MALLOOM_BINS_MOST_LEVELS = 8,
    MALLOOM_BINS_DEFAULT_STEPS = 3
};

/* malloom_bins_settings::options. */
enum {
    /* Making objects and giving them back takes a bounded number of steps, however many chunks there are
     * (docs/guide/bounded-heap.md): bins are not sorted, and after most_steps chunks of a bin the next larger
     * one serves. Not with MALLOOM_BINS_THOROUGH. */
    MALLOOM_BINS_BOUNDED = 1,
    MALLOOM_BINS_CLEAR_ON_FREE = 2, /* objects are zeroed when they are freed */
    MALLOOM_BINS_CHECKED_LINKS = 4, /* a chunk that leaves its list is compared with its neighbours there */
    MALLOOM_BINS_THOROUGH = 8,      /* each address that is given back is looked up among all chunks: slow */
    /* What is counted for each bin; needs storage for it. */
    MALLOOM_BINS_COUNT_INSERTIONS = 16,
    MALLOOM_BINS_COUNT_EXTRACTIONS = 32,
    MALLOOM_BINS_COUNT_STEPS = 64
};

/* What the owner does for its heaps; each may be null. One constant structure serves many instances. */
typedef struct malloom_bins_hooks {
    void* context;
    void (*lock)(void* context);
    void (*unlock)(void* context);
    /* A call has failed. `about` is the address or the bytes that it was given. */
    void (*failed)(void* context, malloom_bins_result why, uintptr_t about);
    /* An object was made (bytes is what was asked for, at least 1) or given back (bytes is 0). */
    void (*trace)(void* context, const void* object, size_t bytes);
} malloom_bins_hooks;

typedef struct malloom_bins_settings {
    /* Of an object's address: a power of two, at least that of a pointer; 0 for two pointers. Sizes of
     * chunks are multiples of it. */
    size_t alignment;
    unsigned int bins;      /* 0 for dlmalloc's 127 */
    unsigned int most_bins; /* that the storage is divided for, where their number changes; 0 for those */
    const uint32_t* begins; /* of each bin, ascending, the first 0; null with dlmalloc's bins */
    malloom_bin_function function; /* null: the original without begins, a search with them */
    unsigned int options;
    unsigned int most_steps; /* with MALLOOM_BINS_BOUNDED; 0 for the default */
    unsigned int levels;     /* of preference, for memories of different speed; 0 for one */
    const malloom_bins_hooks* hooks;
    void* storage; /* of MALLOOM_BINS_STORAGE bytes or more, aligned as a pointer is; lives as long as the
                      heap */
    size_t storage_bytes;
} malloom_bins_settings;

/* A bit a bin and one behind the last, and a word that says which of these words hold some. */
#define MALLOOM_BINS_MAP_WORDS(bins) ((bins) / 32 + 2)
/* Of the lists of so many bins, on each level. */
#define MALLOOM_BINS_LISTS(bins, levels) \
    ((levels) * ((bins) * 2 * sizeof(void*) + (MALLOOM_BINS_MAP_WORDS(bins) + 1) / 2 * 2 * sizeof(uint32_t)))
/* Of those and a table of bins that may change. */
#define MALLOOM_BINS_STORAGE(bins, levels) (MALLOOM_BINS_LISTS(bins, levels) + (bins) * 2 * sizeof(uint32_t))

struct malloom_bins_chunk;
struct malloom_bins_region;

typedef struct malloom_bins_links {
    struct malloom_bins_chunk* next;
    struct malloom_bins_chunk* previous;
} malloom_bins_links;

/* All of it is the heap's own; it stands here so that instances can lie anywhere. All zero is a heap that
 * serves nothing. */
struct malloom_bins {
    malloom_bin_function function;
    malloom_bins_links* lists; /* of each bin, level after level */
    uint32_t* filled;          /* for each level: which of the words after it hold a bit, then a bit a bin */
    const uint32_t* begins;
    uint32_t* counts;
    struct malloom_bins_region* regions; /* by level, then as they came */
    const malloom_bins_hooks* hooks;
    struct malloom_bins_automatic* automatic;
    uintptr_t deferred; /* a list of what was given back by free_later */
    size_t granule;
    size_t free_bytes;
    size_t least_free_bytes;
    size_t failures;
    uint32_t most_steps;    /* in a bin; no limit is UINT32_MAX */
    uint32_t releases_left; /* until `sample_release` is called */
    uint16_t bins;
    uint16_t most_bins; /* that the storage has room for */
    uint16_t map_words;
    uint8_t options;
    uint8_t levels;
    uint8_t calls;   /* which of alloc and free it needs */
    uint8_t sampled; /* of two to the power of it objects that are given back one is counted; 0: of none */
    /* Of some objects, before they are free: `automatic` goes on, or one is counted. */
    void (*sample_release)(malloom_bins* heap, const struct malloom_bins_chunk* chunk);
};

/* Opens an instance over nothing. */
malloom_bins_result malloom_bins_open(malloom_bins* heap, const malloom_bins_settings* settings);

/* Objects may lie in [memory, memory + bytes) from now on. Those of a lower level are taken first. Any
 * address will do; what alignment costs is lost. */
malloom_bins_result malloom_bins_add_region(malloom_bins* heap, void* memory, size_t bytes,
                                            unsigned int level);
/* The region that begins at `memory`, if no object lives in it. */
malloom_bins_result malloom_bins_remove_region(malloom_bins* heap, const void* memory);

/* How many bytes a region needs, wherever it lies, so that a heap over it alone serves every request, in
 * whatever order they come, while at most `objects` live at once, this one with them, which asked for at most
 * `bytes` together and none for more than `largest`. 0 where no size is enough: a bounded heap does not find
 * all chunks of its last bin, so `largest` has to belong to an earlier one.
 *
 * Objects that were given to malloom_bins_free_later live until a later call has freed them, and those that
 * realloc moves live twice meanwhile. An aligned request counts in `largest` as its bytes, its alignment,
 * eight pointers and twice the alignment of the heap. It is said of the bins as they are now.
 * docs/guide/bounded-heap.md has the proof, and what more regions than one add. */
size_t malloom_bins_enough_for(const malloom_bins* heap, size_t objects, size_t bytes, size_t largest);

/* As malloc, calloc, realloc, aligned_alloc and free. Null where there is no room, or an argument is wrong.
 * Requests for 0 bytes give an object of its own. */
void* malloom_bins_alloc(malloom_bins* heap, size_t bytes);
void* malloom_bins_calloc(malloom_bins* heap, size_t count, size_t bytes);
void* malloom_bins_realloc(malloom_bins* heap, void* object, size_t bytes);
void* malloom_bins_aligned(malloom_bins* heap, size_t alignment, size_t bytes);
malloom_bins_result malloom_bins_free(malloom_bins* heap, void* object);
/* Any time, also from interrupts and other cores: the next call of another function does it. */
malloom_bins_result malloom_bins_free_later(malloom_bins* heap, void* object);

/* For a heap whose instance other cores do not see: they give back to a post, an instance that is all zero,
 * in memory that all see alike, by malloom_bins_free_later. This frees what lies there, and is the heap's
 * core's to call. How many objects that were: it takes as many frees. What is no living object ends it, which
 * the hook `failed` hears, and what was given back before is not freed then.
 *
 * Without compare-and-swap (RV32IM) each call of malloom_bins_free_later for the post needs a lock, and
 * `post_lock` has that lock's `lock` and `unlock`, which are called only where something lies in the post.
 * Elsewhere it may be null. */
size_t malloom_bins_collect(malloom_bins* heap, malloom_bins* post, const malloom_bins_hooks* post_lock);

/* Memory for generated code, of two functions: one is in use while the other is written. */
typedef struct malloom_bins_code {
    unsigned char* memory; /* where it is written; aligned to 4 */
    size_t bytes;          /* of both halves; some 20 a bin and 32 for each of them are enough */
    ptrdiff_t elsewhere;   /* from there to where it runs, for memory that has two addresses; else 0 */
    void* context;
    /* Before and after something is written; each may be null. The second one makes it visible to the
     * instruction fetch of all cores that use the heap (caches, fence.i on each hart) and executable. */
    void (*begin_write)(void* context, unsigned char* code, size_t bytes);
    void (*end_write)(void* context, unsigned char* code, size_t bytes);
    /* Returns when no other core runs the function that was in use before; may be null where there is none.
     */
    void (*wait_for_others)(void* context);
} malloom_bins_code;

typedef enum malloom_bins_ranges {
    MALLOOM_BINS_AS_THEY_ARE, /* the function alone is made anew */
    MALLOOM_BINS_LINEAR, /* Lhuillier and Courousse, 4.3: each bin gets the same part of what was counted */
    MALLOOM_BINS_SMOOTH, /* three quarters of the bins do, the others lie evenly by the logarithm of the size
                          */
    /* As smooth, by the square root of what was counted, and with no bins narrower than sizes can differ:
     * for insertions and steps counted together, which are what the lists cost. */
    MALLOOM_BINS_BY_COST,
    /* Each octave of sizes gets a power of two of bins, by the root of what was counted there: their function
     * is short, as dlmalloc's. Firmware compiled to be small (-Os) has them only where it asks for them. */
    MALLOOM_BINS_BY_OCTAVE
} malloom_bins_ranges;

/* Lays out the bins by what was counted in them since they were opened or laid out last, writes a function
 * for them, checks it at each of their begins, and goes on with it; counting begins anew. Without code, or on
 * a machine that no code is generated for, bins are searched in their table. The heap needs storage with room
 * for a table, and for new ranges a free chunk of 4 bytes a bin, which it writes into.
 *
 * Which chunk serves a request does not depend on the bins, unless the heap is bounded.
 *
 * Steps: as many as there are free chunks and bins. BAD_ARGUMENT without a table, NO_MEMORY without the
 * chunk, TOO_SMALL where the code does not fit (the bins are laid out then, and searched), DAMAGED where
 * links are checked and wrong. */
malloom_bins_result malloom_bins_rehash(malloom_bins* heap, malloom_bins_ranges ranges,
                                        const malloom_bins_code* code);
/* The same with so many bins, or fewer where few sizes have all that was counted; 0 for as many as the
 * storage has room for. TOO_SMALL for more than that, BAD_ARGUMENT where bins that stay would change in
 * number. */
malloom_bins_result malloom_bins_rehash_into(malloom_bins* heap, unsigned int bins,
                                             malloom_bins_ranges ranges, const malloom_bins_code* code);
/* From now on counts these (MALLOOM_BINS_COUNT_... together, 0 for nothing), from 0. What is counted of a bin
 * is one sum, and stays at UINT32_MAX when it gets there. BAD_ARGUMENT without a table, for other options,
 * and while bins are laid out automatically. */
malloom_bins_result malloom_bins_count(malloom_bins* heap, unsigned int counts);
/* From now on counts, of so many objects that are given back, one: in the bin that its chunk comes into, with
 * its free neighbours, from 0. All other calls go on as if nothing was counted. `distance` is a power of two,
 * from 2 to 32768; 0 for nothing. BAD_ARGUMENT for other ones, without a table, and while bins are laid out
 * automatically. */
malloom_bins_result malloom_bins_count_one_in(malloom_bins* heap, unsigned int distance);
/* Adds to what was counted what lies in the heap now: each chunk, living or free, in the bin of its size. So
 * a rehash that follows has something to go by where nothing was counted before it. Steps: as many as there
 * are chunks. BAD_ARGUMENT without a table, DAMAGED where a tag is wrong. */
malloom_bins_result malloom_bins_count_chunks(malloom_bins* heap);
/* As malloom_bins_rehash_into, but only where its price is less than it can save while so many more objects
 * are given back: of the steps that lists as long as now would take, all; less what the new function takes
 * more. Where nothing was counted, it goes by what malloom_bins_count_chunks counts. Otherwise nothing
 * changes, neither the bins and their function nor what was counted; the heap's function tells. BAD_ARGUMENT
 * for a bounded heap as well, in which steps are few whatever the bins are. */
malloom_bins_result malloom_bins_rehash_if_worth(malloom_bins* heap, unsigned int releases, unsigned int bins,
                                                 malloom_bins_ranges ranges, const malloom_bins_code* code);

/* Rehash without being called: section 2.4 of Lhuillier and Courousse sees it "hidden behind malloc and free
 * calls", and section 6 leaves it to later work. */
typedef struct malloom_bins_automatic_settings {
    malloom_bins_ranges ranges; /* other than as they are */
    unsigned int bins;          /* of each new layout; 0 for as many as the storage has room for */
    /* By what ranges are laid out: MALLOOM_BINS_COUNT_... together; 0 for insertions and steps, which is
     * what the lists cost. */
    unsigned int counts;
    unsigned int window; /* objects that are given back while it looks the first time, rounded up to a power
                            of two, 4 or more; 0 for four a bin */
    const malloom_bins_code* code; /* may be null; lives as long as the heap */
    /* May be null. The time in any unit, from 0 again after UINT32_MAX: a rehash then waits until 32 times
     * the last one's duration have passed. */
    uint32_t (*clock)(void* context);
    void* context;
    void* storage; /* of MALLOOM_BINS_AUTOMATIC_STORAGE bytes or more, aligned as a pointer is; lives as long
                      as the heap */
    size_t storage_bytes;
} malloom_bins_automatic_settings;

typedef enum malloom_bins_phase {
    MALLOOM_BINS_OFF,     /* it has ended: nothing is counted */
    MALLOOM_BINS_SLEEPS,  /* nothing is counted for a while */
    MALLOOM_BINS_LOOKS,   /* at the lists' steps, whether a rehash could pay */
    MALLOOM_BINS_GATHERS, /* what a rehash is done by, at the end of this phase */
    MALLOOM_BINS_JUDGES,  /* whether the rehash has paid */
    MALLOOM_BINS_GLANCES  /* now and then at how long lists are; nothing is counted */
} malloom_bins_phase;

/* How it goes; the heap's own. */
typedef struct malloom_bins_automatic {
    malloom_bins_automatic_settings settings;
    malloom_bin_function former_function; /* and its bins, which a rehash that has not paid gives way to */
    uint32_t* former_begins;
    unsigned int former_bins;
    malloom_bins_phase phase;
    uint32_t frees;  /* objects given back before this phase, since it was switched on; stays at UINT32_MAX */
    uint32_t length; /* of this phase, in objects given back */
    uint32_t window; /* the same of looking, gathering and judging */
    uint32_t steps;  /* in lists, when it looked last */
    uint32_t free_chunks;  /* then */
    uint32_t rehash_ticks; /* that the last rehash took by the clock */
    uint32_t rehash_time;  /* when it ended */
    uint32_t rehashes;     /* that were done, with one that was taken back */
    unsigned int vain_looks;
    unsigned int glances_left;
    int was_restored; /* it has ended with the bins from before the last rehash */
} malloom_bins_automatic;

#define MALLOOM_BINS_AUTOMATIC_STORAGE(most_bins) \
    (sizeof(malloom_bins_automatic) + (most_bins) * sizeof(uint32_t))

/* From now on malloom_bins_free, or what else gives objects back, sometimes does a rehash, with the lock and
 * the hooks of the code: when the steps in lists that it could have saved since it was switched on exceed
 * what it costs, and not before the distance to the last one has doubled, so that there are as many as the
 * logarithm of the objects that are given back. It counts what it needs, in phases. It ends, and counts
 * nothing, when lists and function do not cost less after a rehash (then the bins and the function from
 * before are in their places again), when it has seen three times that there is hardly anything to gain, and
 * when something fails, which the hook `failed` hears. Then it has left no cost behind, and may be switched
 * on again.
 *
 * Null for settings switches it off; the bins stay. BAD_ARGUMENT where the heap is bounded or has no table,
 * TOO_SMALL for too little storage or too many bins; what was on stays on. */
malloom_bins_result malloom_bins_rehash_automatically(malloom_bins* heap,
                                                      const malloom_bins_automatic_settings* settings);

/* Quick lists in front of a heap (Weinstock and Wulf 1988, "Quick Fit"): small objects that were given back
 * last are kept as they are, and serve the next requests of just their size. Neither joining nor splitting is
 * paid for them, and no bin is looked for. A request that finds no room gives all of them back to the heap
 * and tries again, so memory that is enough stays enough; that one call takes as many frees more as objects
 * were kept.
 *
 * To the heap a kept object is a living one: its statistics and its walk say so. Objects of a heap with quick
 * lists are given back by the calls below, or by malloom_bins_free_later; malloom_bins_free would not know
 * that one is kept already. Only objects on the first level are kept. What is kept has its first two words
 * written over. */
typedef struct malloom_bins_quick_list {
    void* first;
    size_t room; /* for so many more objects */
} malloom_bins_quick_list;

/* All of it is the heap's own. One thread at a time, as the heap. */
typedef struct malloom_bins_quick {
    malloom_bins* heap;
    malloom_bins_quick_list* lists; /* of each size of chunks */
    size_t most_bytes;              /* of a request that they may serve */
    size_t most_chunk_bytes;        /* of a chunk that is kept */
    size_t rest;                    /* lists further on that serve a size as well: chunks with a rest */
    unsigned int granule_bits;
} malloom_bins_quick;

/* Bytes of the lists for requests of up to so many bytes, where objects are aligned to so many; the default
 * alignment is that of two pointers. */
#define MALLOOM_BINS_QUICK_STORAGE(most_bytes, alignment) \
    (((most_bytes) / (alignment) + 4 * sizeof(void*) / (alignment) + 4) * sizeof(malloom_bins_quick_list))

/* Opens quick lists for requests of up to `most_bytes`, which keep up to `most_each` objects of a size. The
 * storage lives as long as they do. The heap is open, and its hooks neither lock nor trace: they would not
 * hear of what the lists do. BAD_ARGUMENT for such hooks, for CLEAR_ON_FREE, CHECKED_LINKS and THOROUGH, and
 * for `most_each` 0; TOO_SMALL for too little storage. */
malloom_bins_result malloom_bins_quick_open(malloom_bins_quick* quick, malloom_bins* heap, size_t most_bytes,
                                            unsigned int most_each, void* storage, size_t storage_bytes);
/* As those of the heap. */
void* malloom_bins_quick_alloc(malloom_bins_quick* quick, size_t bytes);
void* malloom_bins_quick_calloc(malloom_bins_quick* quick, size_t count, size_t bytes);
void* malloom_bins_quick_realloc(malloom_bins_quick* quick, void* object, size_t bytes);
malloom_bins_result malloom_bins_quick_free(malloom_bins_quick* quick, void* object);
/* All kept objects go back to the heap, as before a region is removed; how many there were. */
size_t malloom_bins_quick_settle(malloom_bins_quick* quick);

/* What an object's owner may use of it, at least what was asked for; 0 for what is no living object. */
size_t malloom_bins_usable_size(const malloom_bins* heap, const void* object);
/* Whether the address lies in one of the regions. */
int malloom_bins_owns(const malloom_bins* heap, const void* object);

typedef struct malloom_bins_statistics {
    size_t region_bytes;     /* of all regions, with what the heap itself needs */
    size_t free_bytes;       /* of all free chunks */
    size_t least_free_bytes; /* ever since the last region was added */
    size_t largest_bytes;    /* the largest request that would succeed now */
    size_t living_objects;
    size_t free_chunks;
    size_t failures; /* requests that got nothing */
} malloom_bins_statistics;

/* Looks at all chunks. */
void malloom_bins_statistics_of(const malloom_bins* heap, malloom_bins_statistics* result);
/* Calls visit for each chunk in the order of addresses within each region, until it returns other than 0,
 * which this returns. `object` is the chunk's, living or not. */
int malloom_bins_walk(const malloom_bins* heap,
                      int (*visit)(void* context, const void* object, size_t bytes, int is_living),
                      void* context);
/* Whether everything holds that the heap relies on. */
malloom_bins_result malloom_bins_check(const malloom_bins* heap);

#ifdef __cplusplus
}
#endif

#endif
