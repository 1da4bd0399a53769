// Operators new and delete of the program's own, with an argument more, in code that is not seen:
// their objects are nobody's to move. Those of the usual ones beside them are.
// beside: foreign/own_operators.cpp
// proves: 40 split
#include <cstddef>
#include <cstdio>
#include <cstdlib>

struct Arena {
    int requests;
};

void* operator new(std::size_t bytes, Arena& arena);
void operator delete(void* object, Arena& arena);

struct Node {
    Node* next;
    long value, weight;
};

struct Usual {
    Usual* next;
    long a, b, c, d;
};

static Arena arena;

static unsigned long usual(long count) {
    Usual* head = nullptr;
    for (long i = 0; i < count; ++i) {
        head = new Usual{head, i, 2 * i, 3 * i, 5 * i};
    }
    unsigned long sum = 0;
    while (head != nullptr) {
        Usual* next = head->next;
        sum = 3 * sum + head->a + head->b + head->c + head->d;
        delete head;
        head = next;
    }
    return sum;
}

int main() {
    Node* head = nullptr;
    for (long i = 0; i < 100; ++i) {
        Node* node = new (arena) Node;
        *node = {head, i, 2 * i};
        head = node;
    }
    unsigned long sum = arena.requests;
    while (head != nullptr) {
        Node* next = head->next;
        sum = 3 * sum + head->value + head->weight;
        operator delete(head, arena);
        head = next;
    }
    std::printf("%lu %d\n", sum + usual(100), arena.requests);
}
