// CWE-787 in C++, a write goes to where the object is not; the table at the end says what serves it.
#include "objects.h"

#include <iterator>
#include <string>
#include <vector>

namespace {

struct Point {
    double x, y, z;
};

template <class T, size_t count>
T* array_among_many() {
    return static_cast<T*>(made_among_many(by_new_array<T, count>, 0));
}

void delete_crowd() {
    for (void* one : crowd) ::operator delete(one);
    for (int i = 0; i < most_asked_again; ++i) static_cast<void>(new Point);
}

void element_behind_array() {
    auto* numbers = array_among_many<long, 10>();
    numbers[wrong ? 11 : 9] = 7;
    delete_crowd();
}

void element_before_array() {
    auto* numbers = array_among_many<long, 10>();
    numbers[wrong ? -1 : 0] = 7;
    delete_crowd();
}

/// Makes the crowd of a vector's memory: the same site asks for each.
std::vector<std::vector<long>> vectors_of(size_t elements) {
    std::vector<std::vector<long>> vectors(crowd_count);
    for (auto& vector : vectors) vector.resize(elements);
    return vectors;
}

void element_of_vector() {
    auto vectors = vectors_of(14);
    vectors[100][wrong ? 15 : 13] = 7;
}

void element_of_negative_index() {
    auto vectors = vectors_of(20);
    auto& numbers = vectors[100];
    numbers.assign(20, 1);
    numbers[wrong ? -2 : 0] = 7;
}

void end_of_vector() {
    auto vectors = vectors_of(9);
    auto place = wrong ? vectors[100].end() : vectors[100].begin();
    *place = 7;
}

void before_begin() {
    auto vectors = vectors_of(12);
    auto place = vectors[100].begin() - (wrong ? 1 : 0);
    *place = 7;
}

void letter_of_string() {
    std::vector<std::string> texts(crowd_count, std::string(70, 'x'));
    texts[100][wrong ? 90 : 60] = 'w';
}

void member_of_next() {
    auto* point = one_among_many<Point>();
    point[wrong ? 1 : 0].x = 7;
    delete_crowd();
}

const misuse cases[] = {
    {"element_behind_array", "pool", element_behind_array},
    {"element_before_array", "pool", element_before_array},
    {"element_of_vector", "pool", element_of_vector},
    {"element_of_negative_index", "pool", element_of_negative_index},
    {"end_of_vector", "pool", end_of_vector},
    {"before_begin", "pool", before_begin},
    {"letter_of_string", "pool", letter_of_string},
    {"member_of_next", "pool", member_of_next},
};

}  // namespace
MISUSE_MAIN(cases)
