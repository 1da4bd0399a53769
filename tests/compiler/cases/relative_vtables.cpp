// Tables that have distances to virtual functions in place of their addresses.
// shows: in_unknown_constant
// and: calculated_address_leads
// proves: 24 no  reason: is reached from what other code sees
// proves: 40 no
// options: -fexperimental-relative-c++-abi-vtables
#include <cstdio>

struct leaf {
    leaf* next;
    long value, weight;
};

static leaf* spare;

struct shape {
    shape* next;
    leaf* kept = nullptr;
    long sides, width = 0;
    shape(shape* next, long sides) : next(next), sides(sides) {}
    virtual ~shape() {}
    virtual void take() {
        kept = spare;
        spare = spare->next;
    }
};

struct round : shape {
    using shape::shape;
    void take() override {
        width += spare->value;
        shape::take();
    }
};

int main(int count, char**) {
    for (long i = 0; i < 200; ++i) {
        spare = new leaf{spare, i, 3 * i};
    }
    shape* first = nullptr;
    for (long i = 0; i < 100; ++i) {
        first = i % 3 == count ? new round(first, i) : new shape(first, i);
    }
    for (shape* each = first; each != nullptr; each = each->next) {
        each->take();
    }
    long sum = 0;
    for (shape* each = first; each != nullptr; each = each->next) {
        sum = 3 * sum + each->kept->value + each->kept->weight + each->width + each->sides;
        each->kept->value = 1;
    }
    while (first != nullptr) {
        shape* next = first->next;
        sum += first->kept->value;
        delete first->kept;
        delete first;
        first = next;
    }
    std::printf("%ld\n", sum);
    return 0;
}
