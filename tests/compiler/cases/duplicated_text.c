// Text that the C library copies: into objects of its own, and out of a field whose letters are also written
// one by one.
// shows: given_to_library_function
// proves: 24 pool  reason: is given to a function of a library
// proves: 0 pool
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    long value;
    char tag[4];
    int mark;
};

static struct node* head;
static char* texts[100];

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->next = head;
        node->value = i;
        node->tag[0] = (char)('a' + i % 26);
        node->mark = i * 3;
        head = node;
    }
    unsigned long sum = 0;
    int at = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        node->tag[1] = (char)('A' + node->value % 26);
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        node->tag[2] = (char)('0' + node->mark % 10);
        node->tag[3] = 0;
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        texts[at++] = strdup(node->tag);
    }
    for (int i = 0; i < 100; ++i) {
        for (const char* letter = texts[i]; *letter != 0; ++letter) {
            sum = sum * 31 + (unsigned char)*letter;
        }
        free(texts[i]);
    }
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + (unsigned long)node->value + (unsigned char)node->tag[1] + (unsigned)node->mark;
    }
    printf("%lu\n", sum);
    return 0;
}
