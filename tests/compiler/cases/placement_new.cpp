// Objects that are made in room of malloc's, destroyed, made anew in the same place, and given back as room.
// proves: 32 split
#include <cstdio>
#include <cstdlib>
#include <new>

struct node {
    node* next;
    long value;
    int mark;
    double weight;
    static long alive;
    node(node* next, long value) : next(next), value(value), mark(1), weight(value * 0.25) { ++alive; }
    ~node() { --alive; }
};

long node::alive = 0;
static node* head;

int main() {
    for (int i = 0; i < 100; ++i) {
        void* room = std::malloc(sizeof(node));
        if (room == nullptr) {
            return 1;
        }
        head = new (room) node(head, i);
    }
    for (node* each = head; each != nullptr; each = each->next) {
        if (each->value % 3 == 0) {
            node* next = each->next;
            each->~node();
            new (each) node(next, 1000);
        }
    }
    long sum = 0;
    while (head != nullptr) {
        node* gone = head;
        head = gone->next;
        sum = sum * 31 + gone->value + gone->mark + static_cast<long>(gone->weight);
        gone->~node();
        std::free(gone);
    }
    std::printf("%ld %ld\n", sum, node::alive);
    return 0;
}
