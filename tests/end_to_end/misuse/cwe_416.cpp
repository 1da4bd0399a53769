// CWE-416 in C++, an object is used after it was deleted; the table at the end says what serves it.
#include "objects.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

volatile double seen;

struct Point {
    double x, y, z;
};
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const { return side * side; }
    double side = 2;
};

void member_read_after_delete() {
    auto* point = one_among_many<Point>();
    if (!wrong) seen = point->y;
    delete point;
    if (wrong) seen = point->y;
    ask_again_for<Point>(nullptr);
}

void member_written_after_delete() {
    auto* point = one_among_many<Point>();
    delete point;
    if (wrong) point->x = 7;
    ask_again_for<Point>(nullptr);
}

void virtual_call_after_delete() {
    auto* shape = one_among_many<Shape>();
    if (!wrong) seen = shape->area();
    delete shape;
    if (wrong) seen = shape->area();
    ask_again_for<Shape>(nullptr);
}

void array_written_after_delete() {
    auto* numbers = static_cast<long*>(made_among_many(by_new_array<long, 20>, 0));
    delete[] numbers;
    for (int i = 0; i < 20 && wrong; ++i) numbers[i] = i;
    ask_again(by_new_array<long, 20>, 0, nullptr);
}

/// Makes the crowd of a vector's memory: the same site asks for each.
std::vector<std::vector<long>> vectors_of(size_t elements) {
    std::vector<std::vector<long>> vectors(crowd_count);
    for (auto& vector : vectors) vector.reserve(elements);
    return vectors;
}

void reference_into_grown_vector() {
    auto vectors = vectors_of(10);
    auto& numbers = vectors[crowd_count / 2];
    numbers.push_back(1);
    long* first = numbers.data();
    numbers.reserve(300);
    *(wrong ? first : numbers.data()) = 0x7777;
    vectors_of(10);
}

void iterator_after_clear() {
    auto vectors = vectors_of(12);
    auto& numbers = vectors[crowd_count / 2];
    numbers.assign(12, 1);
    const auto begin = numbers.begin();
    if (!wrong) seen = static_cast<double>(*begin);
    std::vector<long>().swap(numbers);
    if (wrong) *begin = 0x7777;
    vectors_of(12);
}

void text_of_gone_string() {
    std::vector<std::string> texts(crowd_count, std::string(60, 'x'));
    const std::string_view view = texts[crowd_count / 2];
    if (!wrong) seen = view[30];
    texts[crowd_count / 2] = std::string();
    if (wrong) seen = view[30];
}

void characters_written_after_growth() {
    std::vector<std::string> texts(crowd_count, std::string(60, 'x'));
    std::string& text = texts[crowd_count / 2];
    char* characters = text.data();
    text.append(1000, 'y');
    memset(wrong ? characters : text.data(), 'w', 16);
    for (int i = 0; i < crowd_count; ++i) texts.emplace_back(60, 'z');
}

void node_after_erase() {
    std::list<Point> points(crowd_count);
    Point& first = points.front();
    if (!wrong) first.y = 1;
    points.pop_front();
    if (wrong) first.y = 1;
    for (int i = 0; i < crowd_count; ++i) points.emplace_back();
}

void iterator_stepped_after_erase() {
    std::list<long> numbers(crowd_count);
    auto place = std::next(numbers.begin(), 100);
    const auto after = numbers.erase(place);
    seen = static_cast<double>(wrong ? *place : *after);
}

void raw_pointer_of_gone_owner() {
    Point* raw = nullptr;
    {
        std::unique_ptr<Point> owner(one_among_many<Point>());
        raw = owner.get();
        raw->z = 1;
    }
    if (wrong) raw->z = 2;
    ask_again_for<Point>(nullptr);
}

void raw_pointer_of_shared_object() {
    std::vector<std::shared_ptr<Point>> points(crowd_count);
    for (auto& point : points) point = std::make_shared<Point>();
    Point* raw = points[100].get();
    if (!wrong) raw->x = 1;
    points[100].reset();
    if (wrong) raw->x = 1;
    for (int i = 0; i < crowd_count; ++i) points.push_back(std::make_shared<Point>());
}

void captured_by_callback() {
    auto* point = one_among_many<Point>();
    const std::function<void()> callback = [point] { point->x += 1; };
    if (!wrong) callback();
    delete point;
    if (wrong) callback();
    ask_again_for<Point>(nullptr);
}

/// Deletes itself, and says so too late.
struct Counted {
    void drop() {
        if (--count > 0) return;
        delete this;
        if (wrong) count = -1;
    }
    long count = 1, other[5] = {};
};

void deletes_itself() {
    one_among_many<Counted>()->drop();
    ask_again_for<Counted>(nullptr);
}

void used_by_other_thread() {
    auto* point = one_among_many<Point>();
    delete point;
    if (wrong) std::thread([=] { point->x = point->y = 7; }).join();
    ask_again_for<Point>(nullptr);
}

const misuse cases[] = {
    {"member_read_after_delete", "pool", member_read_after_delete},
    {"member_written_after_delete", "pool", member_written_after_delete},
    {"virtual_call_after_delete", "pool", virtual_call_after_delete},
    {"array_written_after_delete", "pool", array_written_after_delete},
    {"reference_into_grown_vector", "pool", reference_into_grown_vector},
    {"iterator_after_clear", "pool", iterator_after_clear},
    {"text_of_gone_string", "pool", text_of_gone_string},
    {"characters_written_after_growth", "pool", characters_written_after_growth},
    {"node_after_erase", "pool", node_after_erase},
    {"iterator_stepped_after_erase", "pool", iterator_stepped_after_erase},
    {"raw_pointer_of_gone_owner", "pool", raw_pointer_of_gone_owner},
    {"raw_pointer_of_shared_object", "pool", raw_pointer_of_shared_object},
    {"captured_by_callback", "pool", captured_by_callback},
    {"deletes_itself", "pool", deletes_itself},
    {"used_by_other_thread", "pool", used_by_other_thread},
};

}  // namespace
MISUSE_MAIN(cases)
