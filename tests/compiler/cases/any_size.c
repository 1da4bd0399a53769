// Texts and buffers whose sizes only the run knows: requested, zeroed, copied, made larger and smaller.
// proves: 24 split
// proves: 0 pool  reason: pools do not replace
// proves: 0 pool  reason: made larger or smaller
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    struct line* next;
    char* text;
    long letters;
};

static struct line* lines;
static volatile unsigned state = 1;

static unsigned next_number(void) {
    state = state * 1103515245 + 12345;
    return state >> 16 & 0x7fff;
}

static char* made_text(unsigned length) {
    char* text = malloc(length + 1);
    for (unsigned i = 0; i < length; ++i) {
        text[i] = (char)('a' + (i + length) % 26);
    }
    text[length] = 0;
    return text;
}

static unsigned long sum_of(const char* text) {
    unsigned long sum = 0;
    for (; *text != 0; ++text) {
        sum = sum * 31 + (unsigned char)*text;
    }
    return sum;
}

static void add_line(char* text) {
    struct line* line = malloc(sizeof *line);
    line->next = lines;
    line->text = text;
    line->letters = (long)strlen(text);
    lines = line;
}

static unsigned long buffers(void) {
    unsigned long sum = 0;
    long* numbers = NULL;
    for (unsigned round = 0; round < 300; ++round) {
        // Through small ones, through those that pools do not take, and back.
        const unsigned count = round % 30 == 29 ? 9000 : next_number() % 600 + 1;
        long* larger = realloc(numbers, count * sizeof *numbers);
        if (round == 0) {
            larger[0] = 17;
        }
        numbers = larger;
        numbers[count - 1] = round;
        sum = sum * 31 + (unsigned long)numbers[0];
    }
    free(numbers);
    int* zeroed = calloc(next_number() % 50 + 10, sizeof *zeroed);
    sum += (unsigned long)zeroed[9] + 1;
    free(zeroed);
    return sum;
}

int main(void) {
    unsigned long sum = 0;
    for (int i = 0; i < 2000; ++i) {
        char* text = made_text(next_number() % (i % 500 == 0 ? 70000 : 300));
        add_line(text);
        if (i % 3 == 0) {
            add_line(strdup(text));
        }
        if (i % 7 == 0) {
            add_line(strndup(text, next_number() % 100));
        }
    }
    for (struct line* line = lines; line != NULL; line = line->next) {
        sum = sum * 31 + sum_of(line->text) + (unsigned long)line->letters;
    }
    while (lines != NULL) {
        struct line* gone = lines;
        lines = gone->next;
        free(gone->text);
        free(gone);
    }
    printf("%lu %lu\n", sum, buffers());
    return 0;
}
