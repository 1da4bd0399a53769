// The words that a program is started with lie where its own do: what leads to the one may lead to the other.
//
// proves: 0 pool  reason: may also point to a variable
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word* next;
    char* text;
    long length;
};

static struct word* all;
static volatile size_t room = 32;

__attribute__((noinline)) static void keep(char* text) {
    struct word* made = malloc(sizeof *made);
    *made = (struct word){all, text, (long)strlen(text)};
    all = made;
}

int main(int count, char** words) {
    for (int i = 0; i < count; ++i) keep(words[i]);
    for (int i = 0; i < 20; ++i) {
        char* text = malloc(room);
        memset(text, 'a' + i, 20);
        text[i] = 0;
        keep(text);
    }
    char* first = words[0];
    words[0] = all->text;
    long sum = 0;
    while (all != NULL) {
        struct word* gone = all;
        if (gone->text != first) {
            sum = sum * 31 + gone->length + gone->text[0];
            free(gone->text == words[0] ? words[0] : gone->text);
        }
        all = gone->next;
        free(gone);
    }
    printf("%ld\n", sum);
    return 0;
}
