// What C++ promises of operator new and delete, in every form.
#include <gtest/gtest.h>
#include <malloc.h>

#include <new>

#include "tests/runtime/front/malloc_conformance/opaque.h"

namespace malloom::tests {
namespace {

/// A form of new with its deletes: alignment 0 for those that have none.
struct Form {
    const char* name;
    bool is_nothrow;
    bool is_aligned;
    void* (*create)(size_t bytes, std::align_val_t alignment);
    void (*destroy)(void* object, size_t bytes, std::align_val_t alignment);
};

void PrintTo(const Form& form, std::ostream* out) {
    *out << form.name;
}

using Alignment = std::align_val_t;
const Form forms[] = {
    {"new", false, false, [](size_t bytes, Alignment) { return ::operator new(bytes); },
     [](void* object, size_t, Alignment) { ::operator delete(object); }},
    {"new, sized", false, false, [](size_t bytes, Alignment) { return ::operator new(bytes); },
     [](void* object, size_t bytes, Alignment) { ::operator delete(object, bytes); }},
    {"new[]", false, false, [](size_t bytes, Alignment) { return ::operator new[](bytes); },
     [](void* object, size_t, Alignment) { ::operator delete[](object); }},
    {"new[], sized", false, false, [](size_t bytes, Alignment) { return ::operator new[](bytes); },
     [](void* object, size_t bytes, Alignment) { ::operator delete[](object, bytes); }},
    {"new nothrow", true, false, [](size_t bytes, Alignment) { return ::operator new(bytes, std::nothrow); },
     [](void* object, size_t, Alignment) { ::operator delete(object, std::nothrow); }},
    {"new[] nothrow", true, false,
     [](size_t bytes, Alignment) { return ::operator new[](bytes, std::nothrow); },
     [](void* object, size_t, Alignment) { ::operator delete[](object, std::nothrow); }},
    {"new aligned", false, true,
     [](size_t bytes, Alignment alignment) { return ::operator new(bytes, alignment); },
     [](void* object, size_t, Alignment alignment) { ::operator delete(object, alignment); }},
    {"new aligned, sized", false, true,
     [](size_t bytes, Alignment alignment) { return ::operator new(bytes, alignment); },
     [](void* object, size_t bytes, Alignment alignment) { ::operator delete(object, bytes, alignment); }},
    {"new[] aligned", false, true,
     [](size_t bytes, Alignment alignment) { return ::operator new[](bytes, alignment); },
     [](void* object, size_t, Alignment alignment) { ::operator delete[](object, alignment); }},
    {"new[] aligned, sized", false, true,
     [](size_t bytes, Alignment alignment) { return ::operator new[](bytes, alignment); },
     [](void* object, size_t bytes, Alignment alignment) { ::operator delete[](object, bytes, alignment); }},
    {"new aligned nothrow", true, true,
     [](size_t bytes, Alignment alignment) { return ::operator new(bytes, alignment, std::nothrow); },
     [](void* object, size_t, Alignment alignment) { ::operator delete(object, alignment, std::nothrow); }},
    {"new[] aligned nothrow", true, true,
     [](size_t bytes, Alignment alignment) { return ::operator new[](bytes, alignment, std::nothrow); },
     [](void* object, size_t, Alignment alignment) { ::operator delete[](object, alignment, std::nothrow); }},
};

class OperatorConformance : public testing::TestWithParam<Form> {
  protected:
    void* create(size_t bytes, size_t alignment = 64) const {
        return GetParam().create(opaque(bytes), Alignment{alignment});
    }
    void destroy(void* object, size_t bytes, size_t alignment = 64) const {
        GetParam().destroy(object, bytes, Alignment{alignment});
    }
};

TEST_P(OperatorConformance, ObjectsAreUsableAlignedAndDistinct) {
    for (size_t alignment = 32; alignment <= (size_t{1} << 16); alignment *= 4) {
        for (size_t bytes : {0, 1, 40, 100, 3000, 100000}) {
            void* first = create(bytes, alignment);
            void* second = create(bytes, alignment);
            ASSERT_NE(first, nullptr);
            EXPECT_NE(first, second);
            const size_t promised = GetParam().is_aligned ? alignment : __STDCPP_DEFAULT_NEW_ALIGNMENT__;
            EXPECT_TRUE(is_aligned(first, promised) && is_aligned(second, promised))
                << alignment << " " << bytes;
            EXPECT_GE(malloc_usable_size(first), bytes);
            memset(first, 1, bytes);
            memset(second, 2, bytes);
            EXPECT_TRUE(holds(first, 1, bytes));
            destroy(first, bytes, alignment);
            destroy(second, bytes, alignment);
        }
    }
}

TEST_P(OperatorConformance, DeleteOfNullDoesNothing) {
    destroy(nullptr, 0);
}

TEST_P(OperatorConformance, WhatNobodyCanHaveThrowsOrIsNull) {
    for (const size_t bytes : impossible_to_create) {
        if (GetParam().is_nothrow) {
            EXPECT_EQ(create(bytes), nullptr);
        } else {
            EXPECT_THROW(create(bytes), std::bad_alloc);
        }
    }
}

int calls_left = 0;

TEST_P(OperatorConformance, TheNewHandlerIsAskedUntilThereIsNone) {
    calls_left = 3;
    std::set_new_handler([] {
        if (--calls_left == 0) {
            std::set_new_handler(nullptr);
        }
    });
    if (GetParam().is_nothrow) {
        EXPECT_EQ(create(SIZE_MAX / 4), nullptr);
    } else {
        EXPECT_THROW(create(SIZE_MAX / 4), std::bad_alloc);
    }
    EXPECT_EQ(calls_left, 0);
}

struct FromHandler : std::bad_alloc {};

TEST_P(OperatorConformance, WhatTheNewHandlerThrowsComesThroughOrIsNull) {
    std::set_new_handler([] { throw FromHandler(); });
    if (GetParam().is_nothrow) {
        void* object = this;
        EXPECT_NO_THROW(object = create(SIZE_MAX / 4));
        EXPECT_EQ(object, nullptr);
    } else {
        EXPECT_THROW(create(SIZE_MAX / 4), FromHandler);
    }
    std::set_new_handler(nullptr);
}

std::string name_of(const testing::TestParamInfo<Form>& info) {
    std::string name = info.param.name;
    for (char& letter : name) {
        letter = isalpha(letter) != 0 ? letter : letter == '[' ? 's' : '_';
    }
    return name;
}
INSTANTIATE_TEST_SUITE_P(MallocConformance, OperatorConformance, testing::ValuesIn(forms), name_of);

}  // namespace
}  // namespace malloom::tests
