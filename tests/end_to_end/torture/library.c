// Call sites that come and go.
#include "../ends_program.h"

struct node* make(int kind, struct node* next) {
    switch (kind) {
        case 0:
            return node_of(48, next);
        case 1:
            return filled((struct node*)malloc(80), 80, next);
        case 2:
            return filled((struct node*)calloc(1, 320), 320, next);
        default:
            return filled((struct node*)malloc(80), 80, next);
    }
}
