// Names that a library's function or one of the program's own gets through a pointer: both only read.
// proves: 16 pool
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
    struct name* next;
    char* text;
    long found;
};

static struct name* head;

static char* begins_with(const char* text, const char* begin) {
    return strncmp(text, begin, strlen(begin)) == 0 ? (char*)text : NULL;
}

static volatile int is_within;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct name* name = malloc(sizeof *name);
        name->text = malloc(16);
        snprintf(name->text, 16, "name %d", i * 37);
        name->found = 0;
        name->next = head;
        head = name;
    }
    for (int i = 0; i < 4; ++i) {
        is_within = i & 1;
        char* (*match)(const char*, const char*) =
            is_within ? (char* (*)(const char*, const char*))strstr : begins_with;
        for (struct name* name = head; name != NULL; name = name->next) {
            name->found += match(name->text, i < 2 ? "name 3" : "7") != NULL;
        }
    }
    long sum = 0;
    for (struct name* name = head; name != NULL; name = name->next) {
        sum = sum * 3 + name->found;
    }
    printf("%ld\n", sum);
    return 0;
}
