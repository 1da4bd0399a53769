// getopt gives pointers into texts that the program has made.
// proves: 48 pool
// proves: 16 no  reason: goes outside and comes back
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char** argv = calloc(6, sizeof *argv);
    const char* words[] = {"prog", "-a", "hello", "-b", "world"};
    for (int i = 0; i < 5; ++i) {
        argv[i] = malloc(16);
        strcpy(argv[i], words[i]);
    }
    int c;
    char* kept = NULL;
    while ((c = getopt(5, argv, "a:b:")) != -1) {
        putchar(c);
        putchar(*optarg);
        putchar('\n');
        if (c == 'a') kept = optarg;
    }
    kept[0] = 'H';
    puts(argv[2]);
    free(kept);
}
