// Fields of every width in a list, arrays with and without a histogram, and a call site with objects of
// several sizes.
#include <stdint.h>
#include <stdlib.h>

struct record {
    char tag;
    short kind;
    int number;
    int64_t total;
    float part;
    double whole;
    unsigned low : 3, high : 13;
    unsigned char bytes[11];
    struct record* next;
};

static struct record* push(struct record* before, int number) {
    struct record* made = malloc(sizeof *made);
    made->tag = (char)number;
    made->kind = (short)(number * 3);
    made->number = number;
    made->next = before;
    made->low = number & 7;
    made->high = number;
    for (int i = 0; i < 11; i += 1 + number % 3) made->bytes[i] = (unsigned char)(number + i);
    return made;
}

static int64_t walk(struct record* list) {
    int64_t sum = 0;
    for (struct record* at = list; at; at = at->next) {
        at->total = at->number + at->kind;
        at->whole = (double)at->total / 3;
        if (at->tag & 1) at->part = (float)at->whole;
        sum += at->total + at->high + at->bytes[3];
    }
    return sum;
}

int main(void) {
    struct record* list = NULL;
    for (int i = 0; i < 50; i++) list = push(list, i);
    int64_t sum = 0;
    for (int i = 0; i < 20; i++) sum += walk(list);
    uint16_t* few = calloc(100, sizeof *few);
    for (int i = 0; i < 100; i += 3) few[i] = (uint16_t)i;
    for (int i = 0; i < 100; i++) sum += few[i];
    double* many = malloc(500 * sizeof *many);
    for (int i = 0; i < 500; i++) many[i] = i;
    for (int i = 1; i < 500; i++) many[i] += many[i - 1];
    sum += (int64_t)many[499];
    unsigned char* hot = malloc(2);
    for (int i = 0; i < 70000; i++) {
        *(volatile unsigned char*)hot = (unsigned char)i;
        if (i % 2 == 0) ((volatile unsigned char*)hot)[1] = (unsigned char)i;
    }
    sum += hot[0] + hot[1];
    free(hot);
    for (int size = 8; size < 80; size += 24) {
        unsigned char* some = malloc(size);
        for (int i = 0; i < size; i++) some[i] = (unsigned char)i;
        for (int i = 0; i < size; i += 5) sum += some[i];
        free(some);
    }
    while (list) {
        struct record* next = list->next;
        free(list);
        list = next;
    }
    free(many);
    free(few);
    return (int)(sum & 63);
}
