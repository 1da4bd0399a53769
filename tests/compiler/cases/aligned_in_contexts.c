// One function requests by posix_memalign for callers of two kinds: a list's, and one whose objects the
// library resizes.
// proves: 128 pool
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value, rest[14];
};

__attribute__((noinline)) static int get(void** place) {
    return posix_memalign(place, 64, sizeof(struct node));
}

#define OWN(name)                                      \
    __attribute__((noinline)) static long name(void) { \
        struct node* first = NULL;                     \
        long sum = 0;                                  \
        for (long i = 0; i < 50; ++i) {                \
            void* made = NULL;                         \
            if (get(&made) != 0) {                     \
                return -1;                             \
            }                                          \
            struct node* node = made;                  \
            node->next = first;                        \
            node->value = i;                           \
            first = node;                              \
        }                                              \
        while (first != NULL) {                        \
            struct node* node = first->next;           \
            sum = sum * 3 + first->value;              \
            free(first);                               \
            first = node;                              \
        }                                              \
        return sum;                                    \
    }
OWN(one)
OWN(other)

__attribute__((noinline)) static long line_of(FILE* from) {
    void* made = NULL;
    if (get(&made) != 0) {
        return -1;
    }
    char* line = made;
    size_t room = sizeof(struct node);
    const long letters = getline(&line, &room, from);
    free(line);
    return letters;
}

int main(void) {
    FILE* file = tmpfile();
    for (int i = 0; i < 1000; ++i) {
        fputc('x', file);
    }
    rewind(file);
    const long first = one(), letters = line_of(file), last = other();
    printf("%ld %ld %ld\n", first, letters, last);
    fclose(file);
    return 0;
}
