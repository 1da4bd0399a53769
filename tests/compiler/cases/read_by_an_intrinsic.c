// An instruction of the processor, which reads sixteen bytes wherever they lie: two fields.
// options: -msse3
// shows: given_to_unknown_intrinsic
// and: given_to_unknown_function
// proves: 32 no  reason: is given to an intrinsic that is not followed
#include <pmmintrin.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long first, second;
    int mark;
};

static struct node* head;

__attribute__((noinline)) static __m128i both(const struct node* node) {
    return _mm_lddqu_si128((const __m128i*)&node->first);
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 5, i * 3};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        const __m128i read = both(node);
        sum = sum * 31 + _mm_cvtsi128_si64(read) + 3 * _mm_cvtsi128_si64(_mm_unpackhi_epi64(read, read));
        sum += node->mark + node->second;
    }
    printf("%ld\n", sum);
    return 0;
}
