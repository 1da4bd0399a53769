// Objects of C++: virtual ones, those of std::map, std::string and std::vector, and ten bytes of the x87.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    unsigned short colour = 0;
};

struct Circle : Shape {
    explicit Circle(float of) : radius(of) {}
    double area() const override { return 3.25 * radius * radius; }
    float radius;
};

struct Polygon : Shape {
    double area() const override { return std::accumulate(sides.begin(), sides.end(), 0.0) * scale; }
    std::array<double, 5> sides{};
    long double scale = 0.5L;
    bool closed = false;
};

std::unique_ptr<Shape> made(int number) {
    if (number % 3 == 0) return std::make_unique<Circle>(static_cast<float>(number));
    auto polygon = std::make_unique<Polygon>();
    for (int i = 0; i < 5; i += 1 + number % 2) polygon->sides[static_cast<size_t>(i)] = number + i;
    polygon->closed = number % 2 != 0;
    return polygon;
}

double all_areas() {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.reserve(90);
    for (int i = 0; i < 90; ++i) shapes.push_back(made(i));
    double sum = 0;
    for (int i = 0; i < 30; ++i) {
        for (const auto& shape : shapes) {
            if (i % 2 != 0) shape->colour = static_cast<unsigned short>(i);
            if (shape->colour % 4 != 1) sum += shape->area();
        }
    }
    return sum;
}

size_t all_names() {
    std::map<std::string, int> counts;
    for (int i = 0; i < 200; ++i) ++counts["the longer name of number " + std::to_string(i * 7 % 40)];
    size_t sum = 0;
    for (const auto& [name, count] : counts) sum += name.size() * static_cast<size_t>(count);
    return sum;
}

int sorted() {
    std::vector<int> numbers(250);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 1009);
    std::sort(numbers.begin(), numbers.end());
    std::vector<short> growing;
    for (const int number : numbers) growing.push_back(static_cast<short>(number));
    return growing[100] + numbers[200];
}

}  // namespace

int main() {
    return (static_cast<int>(all_areas()) + static_cast<int>(all_names()) + sorted()) & 63;
}
