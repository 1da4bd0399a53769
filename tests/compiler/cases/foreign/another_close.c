struct record {
    long first, second;
    struct record* next;
};

static struct record* last;

/* Not the C library's: it takes a record, and gives back the one that it was given before. */
struct record* close(struct record* record) {
    struct record* before = last;
    record->second += record->first;
    last = record;
    return before;
}
