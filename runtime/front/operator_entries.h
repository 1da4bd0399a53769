// Every form of operator new and delete. Included once, by runtime/front/malloc_entries.h.
//
// A program may replace some of them alone, most often operator new(size_t) and operator delete(void*). The
// other forms are then to call its own, as those of the C++ library do ([new.delete.single],
// [new.delete.array]): so arrays, sized forms and forms that do not throw go on by name, to a function of the
// program's or to the entry here.
#pragma once

#include <new>

#include "runtime/front/entry_paths.h"
#include "runtime/front/new_failure.h"

extern "C" {
// The entries here, whatever the program has under these names.
[[gnu::visibility("hidden"), gnu::alias("_Znwm")]] void* malloom_own_new(size_t);
[[gnu::visibility("hidden"), gnu::alias("_Znam")]] void* malloom_own_new_array(size_t);
[[gnu::visibility("hidden"), gnu::alias("_ZnwmSt11align_val_t")]] void* malloom_own_new_aligned(
    size_t, std::align_val_t);
[[gnu::visibility("hidden"), gnu::alias("_ZnamSt11align_val_t")]] void* malloom_own_new_array_aligned(
    size_t, std::align_val_t);
}

namespace malloom::front {

// Volatile, or compilers take them for the entries here.
struct ByName {
    void* (*volatile create)(size_t);
    void* (*volatile create_array)(size_t);
    void* (*volatile create_aligned)(size_t, std::align_val_t);
    void* (*volatile create_array_aligned)(size_t, std::align_val_t);
    void (*volatile destroy)(void*) noexcept;
    void (*volatile destroy_array)(void*) noexcept;
    void (*volatile destroy_aligned)(void*, std::align_val_t) noexcept;
    void (*volatile destroy_array_aligned)(void*, std::align_val_t) noexcept;
};
static ByName by_name = {::operator new, ::operator new[], ::operator new, ::operator new[],
                         ::operator delete, ::operator delete[], ::operator delete, ::operator delete[] };

// Ahead of time: to look for a function waits for whoever loads a library, and that may be who waits for the
// thread that asks.
[[gnu::constructor]] static void find_forms_that_go_on_by_name() {
    if (by_name.create != malloom_own_new || by_name.create_array != malloom_own_new_array ||
        by_name.create_aligned != malloom_own_new_aligned ||
        by_name.create_array_aligned != malloom_own_new_array_aligned) {
        find_library_forms();
    }
}

inline void* create_without_throwing(size_t bytes, NothrowForm form, const context::Caller& caller) {
    const bool is_own =
        form.alignment == 0
            ? by_name.create == malloom_own_new &&
                  (!form.is_array || by_name.create_array == malloom_own_new_array)
            : by_name.create_aligned == malloom_own_new_aligned &&
                  (!form.is_array || by_name.create_array_aligned == malloom_own_new_array_aligned);
    return is_own ? create(bytes, form.alignment, true, caller) : create_by_library(bytes, form);
}

}  // namespace malloom::front

// The replaceable operators. <new> has declared them with default visibility.
void* operator new(size_t bytes) {
    return malloom::front::Entry<>::create(bytes);
}
void* operator new[](size_t bytes) {
    return malloom::front::by_name.create(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    using namespace malloom;
    return front::create_without_throwing(bytes, {0, false}, context::current_caller());
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
    using namespace malloom;
    return front::create_without_throwing(bytes, {0, true}, context::current_caller());
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    return malloom::front::Entry<>::create_aligned(bytes, size_t(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
    return malloom::front::by_name.create_aligned(bytes, alignment);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    using namespace malloom;
    return front::create_without_throwing(bytes, {size_t(alignment), false}, context::current_caller());
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    using namespace malloom;
    return front::create_without_throwing(bytes, {size_t(alignment), true}, context::current_caller());
}

void operator delete(void* object) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object) noexcept {
    malloom::front::by_name.destroy(object);
}
void operator delete(void* object, size_t) noexcept {
    malloom::front::by_name.destroy(object);
}
void operator delete[](void* object, size_t) noexcept {
    malloom::front::by_name.destroy_array(object);
}
void operator delete(void* object, const std::nothrow_t&) noexcept {
    malloom::front::by_name.destroy(object);
}
void operator delete[](void* object, const std::nothrow_t&) noexcept {
    malloom::front::by_name.destroy_array(object);
}
void operator delete(void* object, std::align_val_t) noexcept {
    malloom::front::Entry<>::release(object);
}
void operator delete[](void* object, std::align_val_t alignment) noexcept {
    malloom::front::by_name.destroy_aligned(object, alignment);
}
void operator delete(void* object, size_t, std::align_val_t alignment) noexcept {
    malloom::front::by_name.destroy_aligned(object, alignment);
}
void operator delete[](void* object, size_t, std::align_val_t alignment) noexcept {
    malloom::front::by_name.destroy_array_aligned(object, alignment);
}
void operator delete(void* object, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    malloom::front::by_name.destroy_aligned(object, alignment);
}
void operator delete[](void* object, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    malloom::front::by_name.destroy_array_aligned(object, alignment);
}
