// CWE-122 in C++, what is written into an object goes on past its end; the table says what serves it.
#include "objects.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

struct Point {
    double x, y, z;
};
struct Named {
    char name[32];
    long number;
};

template <class T, size_t count>
T* array_among_many() {
    return static_cast<T*>(made_among_many(by_new_array<T, count>, 0));
}

/// As use_heap, with operator delete.
void delete_crowd() {
    for (void* one : crowd) ::operator delete(one);
    for (int i = 0; i < most_asked_again; ++i) static_cast<void>(new Point);
}

void past_array() {
    auto* numbers = array_among_many<int, 20>();
    for (int i = 0; i < (wrong ? 32 : 20); ++i) numbers[i] = 7;
    delete_crowd();
}

void array_as_large_as_one() {
    auto* point = one_among_many<Point>();
    std::fill_n(point, wrong ? 4 : 1, Point{1, 2, 3});
    delete_crowd();
}

void past_last_member() {
    auto* named = one_among_many<Named>();
    memset(named->name, 'w', wrong ? 80 : 32);
    delete_crowd();
}

void base_taken_for_derived() {
    struct Longer : Point {
        double more[6];
    };
    auto* longer = static_cast<Longer*>(one_among_many<Point>());
    if (wrong) std::fill_n(longer->more, 6, 7.0);
    delete_crowd();
}

void copied_past_array() {
    const std::vector<long> numbers(wrong ? 40 : 16, 7);
    auto* copy = array_among_many<long, 16>();
    std::copy(numbers.begin(), numbers.end(), copy);
    delete_crowd();
}

void text_copied_past_array() {
    auto* text = array_among_many<char, 24>();
    const std::string source(wrong ? 60 : 23, 'w');
    strcpy(text, source.c_str());
    delete_crowd();
}

void past_reserved() {
    std::vector<std::vector<long>> vectors(crowd_count);
    for (auto& vector : vectors) vector.reserve(12);
    for (int i = 0; i < (wrong ? 20 : 12); ++i) vectors[100].data()[i] = 7;
}

void past_string() {
    std::vector<std::string> texts(crowd_count);
    for (auto& text : texts) text.reserve(64);
    memset(texts[100].data(), 'w', wrong ? 100 : 64);
}

const misuse cases[] = {
    {"past_array", "pool", past_array},
    {"array_as_large_as_one", "pool", array_as_large_as_one},
    {"past_last_member", "pool", past_last_member},
    {"base_taken_for_derived", "pool", base_taken_for_derived},
    {"copied_past_array", "pool", copied_past_array},
    {"text_copied_past_array", "pool", text_copied_past_array},
    {"past_reserved", "pool", past_reserved},
    {"past_string", "pool", past_string},
};

}  // namespace
MISUSE_MAIN(cases)
