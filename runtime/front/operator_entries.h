// Every form of operator new and delete. Included once, by runtime/front/malloc_entries.h.
#pragma once

#include <new>

#include "runtime/front/entry_paths.h"

// The replaceable operators. <new> has declared them with default visibility.
void* operator new(size_t bytes) {
    return malloom::front::Entry<>::create(bytes);
}
void* operator new[](size_t bytes) {
    return malloom::front::Entry<>::create(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    return malloom::front::create(bytes, 0, true, malloom::context::current_caller());
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
    return malloom::front::create(bytes, 0, true, malloom::context::current_caller());
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    return malloom::front::Entry<>::create_aligned(bytes, size_t(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
    return malloom::front::Entry<>::create_aligned(bytes, size_t(alignment));
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return malloom::front::create(bytes, size_t(alignment), true, malloom::context::current_caller());
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return malloom::front::create(bytes, size_t(alignment), true, malloom::context::current_caller());
}

void operator delete(void* object) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete(void* object, size_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, size_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete(void* object, const std::nothrow_t&) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, const std::nothrow_t&) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete(void* object, std::align_val_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, std::align_val_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete(void* object, size_t, std::align_val_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, size_t, std::align_val_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete(void* object, std::align_val_t, const std::nothrow_t&) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, std::align_val_t, const std::nothrow_t&) noexcept {
    malloom::front::Entry<>::release(object);
}
