// Objects of 24 bytes whose fields are always used together stay whole, without malloc's gaps between them.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct point {
    double x, y, z;
};

enum { count = 5000 };
static struct point* points[count];

int main(void) {
    unsigned seed = 1;
    for (int i = 0; i < count; ++i) {
        points[i] = calloc(1, sizeof *points[i]);
        points[i]->x = i;
    }
    for (int round = 0; round < 200000; ++round) {
        seed = seed * 1664525u + 1013904223u;
        struct point* at = points[(seed >> 8) % count];
        at->y += at->x * 0.25;
        at->z += at->y - at->x;
        at->x = at->z > 1e6 ? 1 : at->x;
        if (round % 97 == 0) {
            free(at);
            points[(seed >> 8) % count] = malloc(sizeof *at);
            *points[(seed >> 8) % count] = (struct point){round, 2, 3};
        }
    }
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += points[i]->x + points[i]->y + points[i]->z;
        free(points[i]);
    }
    printf("%.6g\n", sum);
    return 0;
}
