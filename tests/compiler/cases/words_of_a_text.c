// strtok gives pointers into a text that an earlier call was given, and getcwd text in memory that it may
// have requested.
//
// proves: 0 pool  reason: is given to a function of a library
// proves: 4096 pool  reason: comes from a library
// proves: 24 split
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct word {
    struct word* next;
    char* text;
    long length;
};

static volatile size_t room = 64;
static struct word* all;

__attribute__((noinline)) static void keep_next(char* from) {
    char* found = strtok(from, " ,");
    if (found != NULL) {
        struct word* made = malloc(sizeof *made);
        *made = (struct word){all, found, (long)strlen(found)};
        all = made;
        keep_next(NULL);
    }
}

int main(void) {
    char* text = malloc(room);
    strcpy(text, "some words, and others");
    keep_next(text);
    long sum = 0;
    for (struct word* each = all; each != NULL; each = each->next) {
        each->text[0] = '_';
        sum = sum * 31 + each->length;
    }
    for (size_t i = 0; i < 22; ++i) putchar(text[i] != 0 ? text[i] : '.');
    while (all != NULL) {
        struct word* gone = all;
        if (gone->next == NULL) free(gone->text);
        all = gone->next;
        free(gone);
    }
    char* place = room == 64 ? malloc(4096) : NULL;
    char* here = getcwd(place, 4096);
    char* again = getcwd(NULL, 0);
    printf("\n%d %d\n", here == place, strcmp(here, again) == 0);
    free(again);
    free(here);
    printf("%ld\n", sum);
    return 0;
}
