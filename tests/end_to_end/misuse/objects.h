// What the C++ programs that misuse the heap share beside misuse.h.
#ifndef TESTS_MISUSE_OBJECTS_H
#define TESTS_MISUSE_OBJECTS_H

#include "misuse.h"

#include <new>

/// The one call site of a type's objects.
template <class T>
void* by_new(size_t) {
    return new T();
}
template <class T, size_t count>
void* by_new_array(size_t) {
    return new T[count]();
}
inline void* by_operator_new(size_t bytes) {
    return ::operator new(bytes);
}

/// As one_of_many, but leaves objects as they were made.
inline void* made_among_many(maker make, size_t bytes) {
    for (void*& one : crowd) one = make(bytes);
    return crowd[crowd_count / 2];
}
template <class T>
T* one_among_many() {
    return static_cast<T*>(made_among_many(by_new<T>, sizeof(T)));
}

template <class T>
void ask_again_for(const T* misused) {
    ask_again(by_new<T>, sizeof(T), misused);
}

#endif
