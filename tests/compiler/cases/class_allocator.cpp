// A class with a new and a delete of its own, over malloc; a delete that is given the size.
// proves: 24 split
#include <cstdio>
#include <cstdlib>

struct node {
    node* next;
    long value;
    int mark;
    short rest;
    static void* operator new(size_t bytes) {
        void* room = std::malloc(bytes);
        if (room == nullptr) {
            std::abort();
        }
        return room;
    }
    static void operator delete(void* room, size_t) { std::free(room); }
};

static node* head;

int main() {
    for (int i = 0; i < 100; ++i) {
        head = new node{head, i, 2 * i, 3};
    }
    long sum = 0;
    while (head != nullptr) {
        node* gone = head;
        head = gone->next;
        sum = sum * 31 + gone->value + gone->mark + gone->rest;
        delete gone;
    }
    std::printf("%ld\n", sum);
    return 0;
}
