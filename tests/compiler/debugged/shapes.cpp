// The same of a class with functions and a base, through references.
#include <cstdio>

struct named {
    long name;
};

class shape : public named {
  public:
    shape(shape* next, long name, int width, double height)
        : named{name}, next_(next), width_(width), height_(height) {}

    double area() const { return width_ * height_; }
    shape* next() const { return next_; }
    __attribute__((noinline)) void grow(int by) { width_ += by; /* in a function of it */ }

  private:
    shape* next_;
    int width_;
    double height_;
};

static shape* shapes;
static double sum;

static void look(const shape& one, const shape& other) {
    sum += one.area() - other.area(); /* stop here */
}

static void (*volatile look_at)(const shape&, const shape&) = look;

int main() {
    for (int i = 0; i < 100; ++i) {
        shapes = new shape(shapes, i * 5, i + 1, i + 0.25);
    }
    shape whole(nullptr, 3, 4, 5);
    look_at(*shapes, whole);
    for (shape* one = shapes; one != nullptr; one = one->next()) {
        one->grow(static_cast<int>(one->name & 3));
        sum += one->area();
    }
    std::printf("%f\n", sum);
    return 0;
}
