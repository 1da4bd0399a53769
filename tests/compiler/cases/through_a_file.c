// Pointers that are written to a file and read back.
// shows: goes_outside
// proves: 24 no
#include <stdio.h>
#include <stdlib.h>

struct node {
    long a, b, c;
};

struct record {
    long key;
    struct node* node;
};

static struct record kept[16];

int main(void) {
    FILE* file = tmpfile();
    for (int i = 0; i < 16; ++i) {
        kept[i].key = i;
        kept[i].node = malloc(sizeof(struct node));
        kept[i].node->a = i;
        kept[i].node->b = 2 * i;
        kept[i].node->c = 3 * i;
        fwrite(&kept[i], sizeof kept[i], 1, file);
    }
    rewind(file);
    long sum = 0;
    for (int i = 0; i < 16; ++i) {
        struct record record;
        if (fread(&record, sizeof record, 1, file) != 1) {
            return 1;
        }
        sum = sum * 31 + record.key + record.node->a + 10 * record.node->b + 100 * record.node->c;
    }
    sum += kept[3].node->b;
    printf("%ld\n", sum);
    return 0;
}
