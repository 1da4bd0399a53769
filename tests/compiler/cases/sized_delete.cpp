// Operators delete that are told how large the object is, of objects and of arrays.
// options: -fsized-deallocation
// proves: 24 split
#include <cstdio>

struct node {
    node* next;
    long value;
    short mark;
};

struct holder {
    holder* next;
    node* nodes;
    int count;
    ~holder() { delete[] nodes; }
};

static node* head;
static holder* holders;

int main() {
    long sum = 0;
    for (int i = 0; i < 100; ++i) {
        head = new node{head, i, static_cast<short>(2 * i)};
        holders = new holder{holders, new node[static_cast<unsigned>(i % 5 + 1)]{}, i % 5 + 1};
        holders->nodes[i % 5].value = i;
    }
    while (head != nullptr) {
        node* gone = head;
        head = gone->next;
        sum = sum * 31 + gone->value + gone->mark;
        delete gone;
    }
    while (holders != nullptr) {
        holder* gone = holders;
        holders = gone->next;
        sum = sum * 31 + gone->nodes[gone->count - 1].value;
        delete gone;
    }
    std::printf("%ld\n", sum);
    return 0;
}
