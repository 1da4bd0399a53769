// A heap without locks, so that signal handlers may use it, and children of a fork wherever their parent was.
// Small objects are chunks of one size; others are mappings of their own.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { chunk_bytes = 512, chunks_of_word = 64, words = 1024 };

struct head {
    char* start;
    size_t bytes;
};

static _Alignas(16) char chunks[words * chunks_of_word][chunk_bytes];
static _Atomic uint64_t taken[words];
static _Atomic unsigned next_word;

static void* begin(char* start, size_t bytes, char* object) {
    ((struct head*)object)[-1] = (struct head){start, bytes};
    return object;
}

static struct head* head_of(void* object) {
    return (struct head*)object - 1;
}

static int is_chunk(const char* start) {
    return start >= chunks[0] && start < (char*)chunks + sizeof chunks;
}

static void* take_chunk_of(size_t word) {
    uint64_t before = taken[word];
    while (before != ~(uint64_t)0) {
        const int bit = __builtin_ctzl(~before);
        char* chunk = chunks[word * chunks_of_word + (size_t)bit];
        if (__atomic_compare_exchange_n(&taken[word], &before, before | (uint64_t)1 << bit, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return begin(chunk, chunk_bytes, chunk + sizeof(struct head));
    }
    return NULL;
}

static void* take_chunk(void) {
    for (int i = 0; i < words; ++i) {
        void* object = take_chunk_of(next_word++ % words);
        if (object != NULL) return object;
    }
    return NULL;
}

static void* map(size_t alignment, size_t bytes) {
    const size_t room = alignment + sizeof(struct head);
    if (bytes > SIZE_MAX / 2 - room) return NULL;
    char* start = mmap(NULL, room + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    const uintptr_t first = (uintptr_t)start + sizeof(struct head);
    return begin(start, room + bytes,
                 start + ((first + alignment - 1) & ~(alignment - 1)) - (uintptr_t)start);
}

static size_t room_of(void* object) {
    return object == NULL ? 0 : (size_t)(head_of(object)->start + head_of(object)->bytes - (char*)object);
}

// What is below calls no entry: a preloaded library may have taken its place.
static void* allocate(size_t alignment, size_t bytes) {
    const int is_small = alignment <= 16 && bytes <= chunk_bytes - sizeof(struct head);
    void* object = is_small ? take_chunk() : map(alignment < 16 ? 16 : alignment, bytes);
    if (object == NULL) errno = ENOMEM;
    return object;
}

static void deallocate(void* object) {
    if (object == NULL) return;
    const struct head head = *head_of(object);
    if (!is_chunk(head.start)) {
        munmap(head.start, head.bytes);
        return;
    }
    const size_t number = (size_t)(head.start - chunks[0]) / chunk_bytes;
    __atomic_fetch_and(&taken[number / chunks_of_word], ~((uint64_t)1 << number % chunks_of_word),
                       __ATOMIC_ACQ_REL);
}

void* malloc(size_t bytes) {
    return allocate(16, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
    return allocate(alignment, bytes);
}

void free(void* object) {
    deallocate(object);
}

size_t malloc_usable_size(void* object) {
    return room_of(object);
}

void* calloc(size_t count, size_t size) {
    size_t bytes = 0;
    void* object = __builtin_mul_overflow(count, size, &bytes) ? NULL : allocate(16, bytes);
    return object == NULL ? NULL : memset(object, 0, bytes);
}

void* realloc(void* object, size_t bytes) {
    void* moved = allocate(16, bytes);
    const size_t before = room_of(object);
    if (moved == NULL || object == NULL) return moved;
    memcpy(moved, object, before < bytes ? before : bytes);
    deallocate(object);
    return moved;
}
