// mktime writes an address of the library's into the structure that it is given.
// proves: 8 no
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int words, char** word) {
    (void)word;
    struct tm when = {.tm_year = 100, .tm_mday = 1, .tm_hour = words};
    mktime(&when);
    const char* names[20];
    for (int i = 0; i < 20; ++i) {
        char* made = malloc(8);
        made[0] = (char)('a' + i);
        made[1] = 'x';
        names[i] = made;
    }
    names[words & 15] = when.tm_zone;
    for (int i = 0; i < 20; ++i) {
        printf("%c%c", names[i][0], names[i][1]);
    }
    puts("");
    return 0;
}
