/* Makes arrays of structures, each larger than the one before, until there is no memory, reads all of them,
 * and prints how many MiB they were. */
#include <stdio.h>
#include <stdlib.h>

struct row {
    long key;
    double x;
    int tag;
};

enum { most = 4096 };
static struct row* tables[most];

static size_t rows_of(int table) {
    return 1000 + (size_t)table * 16;
}

static int make(int table) {
    struct row* rows = malloc(rows_of(table) * sizeof(struct row));
    if (rows == NULL) return 0;
    for (size_t i = 0; i < rows_of(table); ++i) {
        rows[i].key = (long)i + table;
        rows[i].x = (double)i;
        rows[i].tag = table;
    }
    tables[table] = rows;
    return 1;
}

static int is_right(int table) {
    const struct row* rows = tables[table];
    for (size_t i = 0; i < rows_of(table); ++i) {
        if (rows[i].key != (long)i + table || rows[i].x != (double)i || rows[i].tag != table) return 0;
    }
    return 1;
}

int main(void) {
    int count = 0;
    size_t bytes = 0;
    while (count < most && make(count)) ++count;
    for (int table = 0; table < count; ++table) {
        if (!is_right(table)) return 1;
        bytes += rows_of(table) * sizeof(struct row);
        free(tables[table]);
    }
    printf("%zu\n", bytes >> 20);
    return 0;
}
