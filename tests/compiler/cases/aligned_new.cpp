// Operators new and delete of a class that is aligned to more than malloc aligns; arrays of any length.
// proves: 128 pool  reason: pools do not replace
// proves: 0 pool  reason: pools do not replace
#include <cstdio>
#include <new>

struct alignas(64) node {
    node* next;
    long value;
    long* numbers;
    char rest[100];
};

static node* head;
static volatile int length = 5;

int main() {
    unsigned long sum = 0, misplaced = 0;
    for (int i = 0; i < 700; ++i) {
        node* made = i % 2 == 0 ? new node : new (std::nothrow) node;
        misplaced += reinterpret_cast<unsigned long>(made) % 64;
        made->next = head;
        made->value = i;
        made->numbers = new long[static_cast<unsigned>(length + i % 40)];
        made->numbers[i % 5] = i * 3;
        made->numbers[0] = i;
        head = made;
    }
    while (head != nullptr) {
        node* gone = head;
        head = gone->next;
        sum = sum * 31 + static_cast<unsigned long>(gone->value + gone->numbers[0]);
        delete[] gone->numbers;
        if (gone->value % 3 == 0) {
            operator delete(gone, std::align_val_t(64));
        } else {
            delete gone;
        }
    }
    std::printf("%lu %lu\n", sum, misplaced);
    return 0;
}
