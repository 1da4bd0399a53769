// Objects of one class with virtual functions, in a list: the pointer to the table of functions is a field.
// proves: 40 split
#include <cstdio>

struct shape {
    shape* next;
    long weight;
    double width;
    int sides;
    shape(shape* next, int sides) : next(next), weight(sides * 2), width(sides * 0.5), sides(sides) {}
    virtual ~shape() {}
    virtual long area() const { return weight * sides; }
    virtual void grow(int by) { width += by; }
};

static shape* shapes;

int main() {
    for (int i = 0; i < 100; ++i) {
        shapes = new shape(shapes, i);
    }
    long sum = 0;
    for (shape* each = shapes; each != nullptr; each = each->next) {
        each->grow(3);
        sum = sum * 31 + each->area() + static_cast<long>(each->width);
    }
    while (shapes != nullptr) {
        shape* gone = shapes;
        shapes = gone->next;
        delete gone;
    }
    std::printf("%ld\n", sum);
    return 0;
}
