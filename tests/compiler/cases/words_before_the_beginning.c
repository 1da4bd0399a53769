// What the loader calls before the program begins gets the same words, and puts an object of the program
// among them, which nobody sees.
//
// proves: 24 no
#include <stdio.h>
#include <stdlib.h>

struct item {
    long a, b, c;
};

static struct item* known;
static char** seen;

__attribute__((constructor, noinline)) static void begin(int count, char** words) {
    seen = words + (count < 0);
}

int main(int count, char** words) {
    known = malloc(sizeof *known);
    *known = (struct item){1, 2, 3};
    char* first = seen[0];
    seen[0] = (char*)known;
    struct item* found = (struct item*)words[0];
    found->b += 5;
    found->c += 7 * count;
    printf("%ld\n", known->a + 10 * known->b + 100 * known->c);
    words[0] = first;
    free(found);
    return 0;
}
