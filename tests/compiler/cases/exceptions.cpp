// An object is thrown by its address, and others are held by functions that are left: what is caught may be
// any of them. A second list is only walked by functions that throw numbers.
// proves: 24 no
// proves: 32 split
#include <cstdio>

struct node {
    node* next;
    long value;
    int mark;
};

struct plain {
    plain* next;
    int key;
    double value;
    long count;
};

static node* nodes;
static plain* plains;

__attribute__((noinline)) static void look(node* at) {
    if (at->value % 7 == 3) {
        throw at;
    }
    at->mark += 1;
}

__attribute__((noinline)) static long take(const plain* at) {
    if (at->key % 5 == 0) {
        throw at->count;
    }
    return at->key;
}

int main() {
    for (int i = 0; i < 100; ++i) {
        nodes = new node{nodes, i, 2 * i};
        plains = new plain{plains, i, i * 0.5, 3 * i};
    }
    long sum = 0;
    for (node* each = nodes; each != nullptr; each = each->next) {
        try {
            look(each);
        } catch (node* thrown) {
            thrown->mark += 1000;
            sum = sum * 31 + thrown->value;
        }
    }
    for (plain* each = plains; each != nullptr; each = each->next) {
        try {
            sum = sum * 31 + take(each);
        } catch (long count) {
            sum = sum * 31 + count + static_cast<long>(each->value);
        }
    }
    for (node* each = nodes; each != nullptr; each = each->next) {
        sum = sum * 31 + each->mark;
    }
    std::printf("%ld\n", sum);
    return 0;
}
