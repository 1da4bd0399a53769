// getline makes a buffer of the program's larger, so that must be malloc's. What asprintf makes is malloc's,
// and released like the program's own texts, which need not be.
//
// proves: 0 no  reason: a library may release it
// proves: 0 pool  reason: comes from a library
// proves: 32 pool  reason: given to a function of a library
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    struct line* next;
    char* text;
    long length, number;
};

static volatile size_t begin = 4;

int main(void) {
    FILE* file = tmpfile();
    for (int i = 0; i < 40; ++i) fprintf(file, "%d and a text of some length: %0*d\n", i, i + 1, i);
    rewind(file);
    struct line* all = NULL;
    size_t room = begin;
    char* buffer = malloc(room);
    for (ssize_t read; (read = getline(&buffer, &room, file)) > 0;) {
        struct line* made = malloc(sizeof *made);
        *made = (struct line){all, NULL, read, all != NULL ? all->number + 1 : 0};
        if (read % 3 == 0) {
            made->text = malloc((size_t)read + 1);
            strcpy(made->text, buffer);
        } else if (asprintf(&made->text, "%ld: %.10s\n", made->number, buffer) < 0) {
            return 1;
        }
        all = made;
    }
    free(buffer);
    long sum = 0;
    while (all != NULL) {
        struct line* gone = all;
        sum = sum * 31 + gone->length + gone->number + (long)strlen(gone->text);
        fputs(gone->text, stdout);
        all = gone->next;
        free(gone->text);
        free(gone);
    }
    printf("%ld\n", sum);
    fclose(file);
    return 0;
}
