// CWE-761 in C++, an object is deleted by a pointer that is not to its start; the table says what serves it.
#include "objects.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Point {
    double x, y, z;
};
struct Named {
    char name[32];
};
struct Placed {
    Point place;
};
// Without virtual destructors, so a pointer to the second base is deleted as what it points to.
struct Both : Named, Placed {
    long number;
};
/// An array of these begins with its length.
struct Counted {
    ~Counted() { ++gone; }
    static inline long gone;
    long number;
};

void second_base() {
    auto* both = one_among_many<Both>();
    if (wrong) {
        delete static_cast<Placed*>(both);
    } else {
        delete both;
    }
    ask_again_for(both);
}

void member_object() {
    auto* both = one_among_many<Both>();
    ::operator delete(wrong ? static_cast<void*>(&both->place) : both);
    ask_again_for(both);
}

void element_of_array() {
    auto* points = static_cast<Point*>(made_among_many(by_new_array<Point, 8>, 0));
    delete[] (wrong ? points + 2 : points);
    ask_again(by_new_array<Point, 8>, 8 * sizeof(Point), points);
}

void counted_array_as_one() {
    auto* counted = static_cast<Counted*>(made_among_many(by_new_array<Counted, 9>, 0));
    if (wrong) {
        delete counted;
    } else {
        delete[] counted;
    }
    ask_again(by_new_array<Counted, 9>, 9 * sizeof(Counted), counted);
}

void counted_array_freed() {
    auto* counted = static_cast<Counted*>(made_among_many(by_new_array<Counted, 5>, 0));
    if (wrong) {
        free(counted);
    } else {
        delete[] counted;
    }
    ask_again(by_new_array<Counted, 5>, 5 * sizeof(Counted), counted);
}

void behind_placed_object() {
    auto* bytes = static_cast<char*>(made_among_many(by_operator_new, 96));
    auto* point = new (bytes + 32) Point();
    ::operator delete(wrong ? static_cast<void*>(point) : bytes);
    ask_again(by_operator_new, 96, bytes);
}

void sized_delete_inside() {
    auto* bytes = static_cast<char*>(made_among_many(by_operator_new, 64));
    ::operator delete(bytes + (wrong ? 16 : 0), size_t{64});
    ask_again(by_operator_new, 64, bytes);
}

void owner_of_element() {
    auto* points = static_cast<Point*>(made_among_many(by_new_array<Point, 4>, 0));
    {
        std::unique_ptr<Point[]> owner(points + (wrong ? 2 : 0));
    }
    ask_again(by_new_array<Point, 4>, 4 * sizeof(Point), points);
}

void shared_owner_of_member() {
    auto* both = one_among_many<Both>();
    {
        std::shared_ptr<void> owner(wrong ? static_cast<void*>(&both->number) : both,
                                    [](void* object) { ::operator delete(object); });
    }
    ask_again_for(both);
}

void iterator_past_first() {
    std::vector<std::vector<long>> vectors(crowd_count);
    for (auto& vector : vectors) vector.reserve(24);
    auto& numbers = vectors[100];
    numbers.resize(24);
    auto place = numbers.begin() + 4;
    if (wrong) ::operator delete(&*place);
}

void behind_prefix_of_string() {
    std::vector<std::string> texts(crowd_count);
    for (auto& text : texts) text.reserve(100);
    std::string& text = texts[100];
    text = "prefix:" + std::string(60, 'x');
    if (wrong) ::operator delete(text.data() + text.find(':') + 1);
}

void pointer_stepped_in_loop() {
    auto* numbers = static_cast<int*>(made_among_many(by_new_array<int, 30>, 0));
    int* place = numbers;
    while (place < numbers + 8) *place++ = 7;
    delete[] (wrong ? place : numbers);
    ask_again(by_new_array<int, 30>, 30 * sizeof(int), numbers);
}

void inside_large_array() {
    auto* numbers = new double[20000];
    delete[] (numbers + (wrong ? 512 : 0));
}

void inside_by_other_thread() {
    auto* both = one_among_many<Both>();
    void* inside = wrong ? static_cast<void*>(both->name + 16) : both;
    std::thread([=] { ::operator delete(inside); }).join();
    ask_again_for(both);
}

const misuse cases[] = {
    {"second_base", "pool", second_base},
    {"member_object", "pool", member_object},
    {"element_of_array", "pool", element_of_array},
    {"counted_array_as_one", "pool", counted_array_as_one},
    {"counted_array_freed", "pool", counted_array_freed},
    {"behind_placed_object", "pool", behind_placed_object},
    {"sized_delete_inside", "pool", sized_delete_inside},
    {"owner_of_element", "pool", owner_of_element},
    {"shared_owner_of_member", "pool", shared_owner_of_member},
    {"iterator_past_first", "pool", iterator_past_first},
    {"behind_prefix_of_string", "pool", behind_prefix_of_string},
    {"pointer_stepped_in_loop", "pool", pointer_stepped_in_loop},
    {"inside_large_array", "fallback", inside_large_array},
    {"inside_by_other_thread", "pool", inside_by_other_thread},
};

}  // namespace
MISUSE_MAIN(cases)
