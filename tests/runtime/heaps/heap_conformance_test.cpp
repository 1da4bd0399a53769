// HeapConformance over the heaps of conforming_heaps.def.
#include "tests/runtime/heaps/heap_conformance.h"

#include "tests/runtime/heaps/conforming_heaps.def"

namespace malloom::tests {
namespace {

// A type for each line, that knows its name.
namespace conforming {
#define CONFORMING_HEAP(called, adapter)             \
    struct called : adapter {                        \
        static constexpr const char* name = #called; \
    };
#include "tests/runtime/heaps/conforming_heaps.def"
#undef CONFORMING_HEAP
}  // namespace conforming

// The list ends with void, as each line brings a comma.
template <template <typename> class Keeps, typename Kept, typename... Left>
struct Those;
template <template <typename> class Keeps, typename... Kept>
struct Those<Keeps, testing::Types<Kept...>, void> {
    using Type = testing::Types<Kept...>;
};
template <template <typename> class Keeps, typename... Kept, typename First, typename... Left>
struct Those<Keeps, testing::Types<Kept...>, First, Left...>
    : Those<Keeps,
            std::conditional_t<Keeps<First>::value, testing::Types<Kept..., First>, testing::Types<Kept...>>,
            Left...> {};

template <template <typename> class Keeps>
using Heaps = typename Those<Keeps, testing::Types<>,
#define CONFORMING_HEAP(called, adapter) conforming::called,
#include "tests/runtime/heaps/conforming_heaps.def"
#undef CONFORMING_HEAP
                             void>::Type;

template <typename H>
struct All : std::true_type {};
template <typename H>
struct Claiming
    : std::bool_constant<heaps::ClaimingHeap<std::remove_reference_t<decltype(std::declval<H&>().heap())>>> {
};
template <typename H>
struct Reusing : std::bool_constant<H::reuses> {};
template <typename H>
struct Bounded : std::bool_constant<H::is_bounded> {};
template <typename H>
struct Threaded : std::bool_constant<H::has_threads> {};

struct Names {
    template <typename H>
    static std::string GetName(int) {
        return H::name;
    }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Heap, ThreadedHeapConformance, Heaps<Threaded>, Names);

#ifndef __SANITIZE_THREAD__
INSTANTIATE_TYPED_TEST_SUITE_P(Heap, HeapConformance, Heaps<All>, Names);
INSTANTIATE_TYPED_TEST_SUITE_P(Heap, ClaimingHeapConformance, Heaps<Claiming>, Names);
INSTANTIATE_TYPED_TEST_SUITE_P(Heap, ReusingHeapConformance, Heaps<Reusing>, Names);
INSTANTIATE_TYPED_TEST_SUITE_P(Heap, BoundedHeapConformance, Heaps<Bounded>, Names);
#else  // It has nothing to find in one thread.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HeapConformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClaimingHeapConformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReusingHeapConformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BoundedHeapConformance);
#endif

}  // namespace
}  // namespace malloom::tests
