// Virtual functions, dynamic_cast, exceptions, and objects of operator new.
// proves: 32 split
#include <cstdio>
#include <new>

struct shape {
    shape* next;
    long weight;
    shape(shape* next, long weight) : next(next), weight(weight) {}
    virtual ~shape() {}
    virtual long area() const { return weight; }
};

struct square : shape {
    int side;
    square(shape* next, int side) : shape(next, side * 2), side(side) {}
    long area() const override { return side * side; }
};

struct plain {
    plain* next;
    int key;
    double value;
    long count;
};

static shape* shapes;
static plain* plains;

__attribute__((noinline)) static void check(const shape* shape) {
    if (shape->area() % 3 == 0) {
        throw shape->area();
    }
}

int main() {
    long sum = 0;
    for (int i = 0; i < 100; ++i) {
        shapes = i % 2 ? new shape(shapes, i) : new square(shapes, i);
        plains = new plain{plains, i, i * 0.5, 2};
    }
    for (shape* each = shapes; each != nullptr; each = each->next) {
        try {
            check(each);
            sum = sum * 31 + each->weight;
        } catch (long area) {
            sum = sum * 31 + area;
        }
        if (const auto* found = dynamic_cast<square*>(each)) {
            sum += found->side;
        }
    }
    for (plain* each = plains; each != nullptr; each = each->next) {
        sum = sum * 31 + each->key + static_cast<long>(each->value) + each->count;
    }
    while (plains != nullptr) {
        plain* gone = plains;
        plains = gone->next;
        delete gone;
    }
    alignas(plain) unsigned char room[sizeof(plain)];
    const plain* placed = new (room) plain{nullptr, 1, 2, 3};
    std::printf("%ld\n", sum + placed->count);
    return 0;
}
