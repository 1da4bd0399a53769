/* malloom.h: what a program can tell malloom about its heap. C and C++; nothing to link.
 *
 * Under `malloom record` the calls are recorded (--accesses annotated), under `malloom run` requests are
 * served by the plan; otherwise they are plain malloc and calloc, and the rest does nothing. All are
 * thread-safe; none may be called from a signal handler. Everything allocated here is released by free(). */
#ifndef MALLOOM_MALLOOM_H
#define MALLOOM_MALLOOM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a preloaded library of malloom exports as `malloom_calls`. Later versions append members only. */
struct malloom_calls {
    unsigned version; /* 1 */
    void* (*allocate_near)(size_t bytes, const void* companion);
    void* (*allocate_zeroed_near)(size_t count, size_t bytes, const void* companion);
    void (*touch)(const void* object, unsigned weight);
    void (*stop_recording)(void);
    void (*status)(void);
};

/* Statically linked programs have no dlsym, and no library of malloom. */
#pragma weak dlsym

static const struct malloom_calls malloom_no_calls = {0, 0, 0, 0, 0, 0};

/* The calls of the library that is present, looked up once; version 0 where there is none. */
static __inline__ const struct malloom_calls* malloom_find_calls(void) {
    static const struct malloom_calls* known;
    const struct malloom_calls* calls = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (calls == NULL) {
        if (dlsym != NULL)
            calls = (const struct malloom_calls*)dlsym(NULL /* RTLD_DEFAULT */, "malloom_calls");
        if (calls == NULL) calls = &malloom_no_calls;
        __atomic_store_n(&known, calls, __ATOMIC_RELAXED);
    }
    return calls;
}

/* These are inlined always, so that the caller's own call site is the request's context. C of 1989 knows the
 * keyword by this name only. */
#define MALLOOM_INLINE static __inline__ __attribute__((always_inline, unused))

/* malloc(bytes) for an object that is used together with `companion`, an object of the heap (Cyll 2004,
 * section 3.2). */
MALLOOM_INLINE void* malloom_allocate_near(size_t bytes, const void* companion) {
    const struct malloom_calls* calls = malloom_find_calls();
    return calls->version != 0 ? calls->allocate_near(bytes, companion) : malloc(bytes);
}

/* calloc(count, bytes), likewise. */
MALLOOM_INLINE void* malloom_allocate_zeroed_near(size_t count, size_t bytes, const void* companion) {
    const struct malloom_calls* calls = malloom_find_calls();
    return calls->version != 0 ? calls->allocate_zeroed_near(count, bytes, companion) : calloc(count, bytes);
}

/* The object is accessed now, `weight` times. */
MALLOOM_INLINE void malloom_touch(const void* object, unsigned weight) {
    const struct malloom_calls* calls = malloom_find_calls();
    if (calls->version != 0) calls->touch(object, weight);
}

/* Nothing after this is recorded: no request, no touch. The program goes on (the thesis's logging run ended
 * here), and the profile is whole up to this call. Accesses that DynamoRIO records beside it go on, but reach
 * no object that is requested later. */
MALLOOM_INLINE void malloom_stop_recording(void) {
    const struct malloom_calls* calls = malloom_find_calls();
    if (calls->version != 0) calls->stop_recording();
}

/* Prints one line on stderr: what malloom has done so far. */
MALLOOM_INLINE void malloom_status(void) {
    const struct malloom_calls* calls = malloom_find_calls();
    if (calls->version != 0) calls->status();
}

#ifdef __cplusplus
}
#endif

#endif
