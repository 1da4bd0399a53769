// Arrays of objects with destructors: before the first element lies how many there are.
// proves: 0 pool
// proves: 24 split
#include <cstdio>

static long destroyed;

struct item {
    long key;
    int count;
    ~item() { destroyed += key; }
};

struct node {
    node* next;
    item* items;
    int length;
};

static node* head;

int main() {
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        const int length = i % 7 + 1;
        head = new node{head, new item[static_cast<unsigned>(length)], length};
        for (int j = 0; j < length; ++j) {
            head->items[j].key = i + j;
            head->items[j].count = i * j;
        }
    }
    while (head != nullptr) {
        node* gone = head;
        head = gone->next;
        sum = sum * 31 + gone->items[gone->length - 1].key + gone->items[0].count;
        delete[] gone->items;
        delete gone;
    }
    std::printf("%ld %ld\n", sum, destroyed);
    return 0;
}
