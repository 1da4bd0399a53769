// CWE-590 in C++, what no heap handed out is deleted, so nothing serves it: the table at the end says "none".
#include "objects.h"

#include <array>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace {

struct Point {
    double x, y, z;
};

Point static_point;

/// Deletes it in place of an object of the heap, while many others live.
void delete_in_place(Point* outside) {
    auto* point = one_among_many<Point>();
    delete (wrong ? outside : point);
    if (wrong) ask_again_for(outside);
}

void local_object() {
    Point point;
    delete_in_place(&point);
}

void static_object() {
    delete_in_place(&static_point);
}

Point& only_one() {
    static Point point;
    return point;
}

void local_static_object() {
    delete_in_place(&only_one());
}

void object_placed_in_local_bytes() {
    alignas(Point) char bytes[sizeof(Point)];
    delete_in_place(new (bytes) Point);
}

void object_placed_in_static_bytes() {
    alignas(Point) static char bytes[2 * sizeof(Point)];
    delete_in_place(new (bytes + sizeof(Point)) Point);
}

void array_element() {
    std::array<Point, 10> points;
    delete_in_place(&points[3]);
}

void of_local_memory_resource() {
    char bytes[1024];
    std::pmr::monotonic_buffer_resource resource(bytes, sizeof bytes);
    delete_in_place(static_cast<Point*>(resource.allocate(sizeof(Point), alignof(Point))));
}

void captured_by_value() {
    const Point point{};
    const auto deleted = [point] { delete_in_place(const_cast<Point*>(&point)); };
    deleted();
}

void owned_local_object() {
    Point point;
    std::unique_ptr<Point> owner(wrong ? &point : one_among_many<Point>());
}

void shared_static_object() {
    std::shared_ptr<Point> owner(wrong ? &static_point : one_among_many<Point>());
    std::shared_ptr<Point> second = owner;
}

void local_array_deleted() {
    int numbers[16] = {};
    auto* made = static_cast<int*>(made_among_many(by_new_array<int, 16>, 0));
    delete[] (wrong ? numbers : made);
}

void literal_deleted() {
    auto* made = static_cast<char*>(made_among_many(by_new_array<char, 40>, 0));
    delete[] (wrong ? const_cast<char*>("literal") : made);
}

// Few characters lie in the string itself.
void characters_of_short_string() {
    auto* made = static_cast<char*>(made_among_many(by_new_array<char, 24>, 0));
    std::string text = "short";
    delete[] (wrong ? text.data() : made);
}

void sized_delete_of_local() {
    char bytes[96] = "";
    void* made = made_among_many(by_operator_new, 96);
    ::operator delete(wrong ? bytes : made, size_t{96});
}

void one_of_many_in_vector() {
    Point point;
    std::vector<Point*> points;
    for (int i = 0; i < 100; ++i) points.push_back(static_cast<Point*>(by_new<Point>(0)));
    if (wrong) points.push_back(&point);
    for (auto* one : points) delete one;
}

void one_of_several_in_map() {
    std::map<std::string, Point*> points{{"first", one_among_many<Point>()}};
    if (wrong) points["second"] = &static_point;
    for (auto& [name, point] : points) delete point;
}

const misuse cases[] = {
    {"local_object", "none", local_object},
    {"static_object", "none", static_object},
    {"local_static_object", "none", local_static_object},
    {"object_placed_in_local_bytes", "none", object_placed_in_local_bytes},
    {"object_placed_in_static_bytes", "none", object_placed_in_static_bytes},
    {"array_element", "none", array_element},
    {"of_local_memory_resource", "none", of_local_memory_resource},
    {"captured_by_value", "none", captured_by_value},
    {"owned_local_object", "none", owned_local_object},
    {"shared_static_object", "none", shared_static_object},
    {"local_array_deleted", "none", local_array_deleted},
    {"literal_deleted", "none", literal_deleted},
    {"characters_of_short_string", "none", characters_of_short_string},
    {"sized_delete_of_local", "none", sized_delete_of_local},
    {"one_of_many_in_vector", "none", one_of_many_in_vector},
    {"one_of_several_in_map", "none", one_of_several_in_map},
};

}  // namespace
MISUSE_MAIN(cases)
