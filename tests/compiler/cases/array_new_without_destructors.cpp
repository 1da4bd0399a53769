// Arrays from operator new[], of objects that need no destructor: nothing lies before the first.
// proves: 32 split
#include <cstdio>
#include <new>

struct point {
    double x, y;
    long owner = 0;
    int uses = 0;
};

class Cloud {
  public:
    explicit Cloud(unsigned count) : points_(new point[count]), count_(count) {
        for (unsigned i = 0; i < count; ++i) {
            points_[i].x = i;
            points_[i].y = count - i;
        }
    }
    Cloud(const Cloud&) = delete;
    Cloud& operator=(const Cloud&) = delete;
    ~Cloud() { delete[] points_; }

    point* begin() { return points_; }
    point* end() { return points_ + count_; }

  private:
    point* points_;
    unsigned count_;
};

static volatile unsigned wanted = 500;

int main() {
    long sum = 0;
    for (unsigned i = 0; i < 20; ++i) {
        Cloud cloud(wanted / (i + 1));
        long number = 0;
        for (point& at : cloud) {
            at.owner = number++;
            at.uses += static_cast<int>(at.x) % 3;
        }
        for (const point& at : cloud) {
            sum = sum * 31 + at.owner + at.uses + static_cast<long>(at.x * at.y);
        }
    }
    std::printf("%ld\n", sum);
    return 0;
}
