// Structures that hold an array of others each, of different lengths, some of none.
// proves: 24 split
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct cell {
    long value;
    int column;
    double weight;
};

struct row {
    struct row* next;
    struct cell* cells;
    int count;
    long sum;
};

static struct row* rows;

__attribute__((noinline)) static struct row* make(int count) {
    struct row* row = malloc(sizeof *row);
    row->next = rows;
    row->cells = malloc((size_t)count * sizeof *row->cells);
    row->count = count;
    row->sum = 0;
    for (int i = 0; i < count; ++i) {
        row->cells[i].value = i * 3;
        row->cells[i].column = count - i;
        row->cells[i].weight = i / 4.0;
    }
    return row;
}

int main(void) {
    for (int i = 0; i < 200; ++i) {
        rows = make(i * 7 % 40);
    }
    long sum = 0;
    for (struct row* row = rows; row != NULL; row = row->next) {
        for (int i = 0; i < row->count; ++i) {
            row->sum += row->cells[i].value * row->cells[i].column;
        }
        for (struct cell* cell = row->cells; cell < row->cells + row->count; ++cell) {
            row->sum += (long)(cell->weight * 4);
        }
        sum = sum * 31 + row->sum;
    }
    while (rows != NULL) {
        struct row* gone = rows;
        rows = gone->next;
        if (gone->count % 3 != 0) {
            free(gone->cells);
        }
        free(gone);
    }
    printf("%ld\n", sum);
    return 0;
}
