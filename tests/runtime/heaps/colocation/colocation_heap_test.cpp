#include "runtime/heaps/colocation/colocation_heap.h"

#include <gtest/gtest.h>

#include <stddef.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/amount.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::heaps {
namespace {

struct Edge {
    Edge* next;
    long rest[3];
};
struct Vertex {
    long id;
    Edge* edges;
    long rest[4];
};

/// A graph whose vertices get edges as programs make them: the new one becomes the first of its vertex's.
class ColocationHeapTest : public testing::Test {
  protected:
    void SetUp() override {
        number_ = colocation_.add(sizeof(Edge));
        ASSERT_NE(number_, ColocationHeap::none);
        vertices_ = PoolHeap::none;
    }
    void TearDown() override {
        if (vertices_ != PoolHeap::none) {
            pools_.destroy(vertices_);
        }
    }

    Vertex* new_vertex() {
        if (vertices_ == PoolHeap::none) {
            vertices_ = pools_.add(sizeof(Vertex));
        }
        return new (here_.allocate(vertices_)) Vertex{};
    }
    std::vector<Vertex*> new_vertices(size_t count) {
        std::vector<Vertex*> made(count);
        std::generate(made.begin(), made.end(), [this] { return new_vertex(); });
        return made;
    }
    Edge* add_edge(Vertex& vertex) {
        void* room = colocation_.allocate(here_.self(), number_, reinterpret_cast<uintptr_t>(&vertex),
                                          offsetof(Vertex, edges));
        if (room != nullptr) {
            vertex.edges = new (room) Edge{vertex.edges, {}};
        }
        return static_cast<Edge*>(room);
    }
    void delete_edges(const std::vector<Vertex*>& vertices) {
        for (const Vertex* vertex : vertices) {
            for (Edge* edge = vertex->edges; edge != nullptr;) {
                Edge* next = edge->next;
                here_.deallocate(edge);
                edge = next;
            }
        }
    }

    size_t held_bytes() const { return here_.held_bytes(); }

    tests::PoolsHere here_;
    PoolHeap& pools_ = here_.heap;
    ColocationHeap colocation_{pools_};
    uint32_t number_ = 0;
    uint32_t vertices_ = PoolHeap::none;
};

TEST_F(ColocationHeapTest, AVertexsEdgesAreNeighboursHoweverTheyAreMade) {
    const auto vertices = new_vertices(100);
    for (int i = 0; i < 100; ++i) {
        for (Vertex* vertex : vertices) {
            ASSERT_NE(add_edge(*vertex), nullptr);
        }
    }
    size_t neighbours = 0;
    for (const Vertex* vertex : vertices) {
        for (const Edge* edge = vertex->edges; edge->next != nullptr; edge = edge->next) {
            neighbours += edge == edge->next + 1;
        }
    }
    EXPECT_GE(neighbours, vertices.size() * 80);
    delete_edges(vertices);
}

/// Of a number of its own, so that nothing is known of it: `each` objects for each of the companions, in
/// turns.
class SiblingsTest : public ColocationHeapTest {
  protected:
    struct Last {
        std::byte* object = nullptr;
        size_t behind_it = 0;  ///< how many of its companion's objects lie right behind the one before
    };
    std::vector<Last> make(uint32_t number, size_t bytes, size_t companions, size_t each) {
        std::vector<Last> lasts(companions);
        for (size_t i = 0; i < each; ++i) {
            for (Last& last : lasts) {
                auto* next = static_cast<std::byte*>(
                    colocation_.allocate(here_.self(), number, reinterpret_cast<uintptr_t>(last.object), 0));
                memset(next, 0, bytes);
                last.behind_it += last.object != nullptr && next == last.object + bytes;
                last.object = next;
            }
        }
        return lasts;
    }
};

TEST_F(SiblingsTest, AreCountedAndFillTheFirstRunOfTheNext) {
    constexpr size_t bytes = 272;
    const uint32_t number = colocation_.add(bytes);
    EXPECT_EQ(colocation_.siblings(number), 0U);
    make(number, bytes, 1000, 8);
    EXPECT_EQ(colocation_.siblings(number), 8U);
    colocation_.expect(number, 8);
    for (const Last& last : make(number, bytes, 100, 8)) {
        EXPECT_EQ(last.behind_it, 7U);
    }
}

TEST_F(SiblingsTest, AreFewWhereFewCompanionsHaveMost) {
    constexpr size_t bytes = 336;
    const uint32_t number = colocation_.add(bytes);
    make(number, bytes, 1000, 1);
    make(number, bytes, 10, 1000);
    EXPECT_LE(colocation_.siblings(number), 2U);
}

TEST_F(SiblingsTest, ThatDoNotComeTakeNoMoreThanThriceTheMemory) {
    constexpr size_t bytes = 400;
    const uint32_t number = colocation_.add(bytes);
    colocation_.expect(number, 16);
    const size_t before = held_bytes();
    make(number, bytes, 20'000, 1);
    EXPECT_LE(held_bytes() - before, 20'000 * 3 * (bytes + 16) + 2 * largest_range);
}

TEST_F(SiblingsTest, EachGetsTheChunkThatWaitsOnce) {
    constexpr size_t bytes = 432;
    const uint32_t number = colocation_.add(bytes);
    auto* first = static_cast<std::byte*>(colocation_.allocate(here_.self(), number, 0, 0));
    memset(first, 0, bytes);
    void* second = colocation_.allocate(here_.self(), number, reinterpret_cast<uintptr_t>(first), 0);
    ASSERT_EQ(second, first + bytes);
    EXPECT_NE(colocation_.allocate(here_.self(), number, reinterpret_cast<uintptr_t>(first), 0), second);
}

TEST_F(SiblingsTest, NothingOfARunIsTouchedBeforeItsObjects) {
    constexpr size_t bytes = 80;
    constexpr size_t chunks = 8;
    const uint32_t number = colocation_.add(bytes);
    colocation_.expect(number, chunks);
    const Pool& pool = *pools_.arena().find(colocation_.allocate(here_.self(), number, 0, 0));
    auto* next = reinterpret_cast<std::byte*>(pool.start + uint64_t{pool.carved} * pool.chunk_bytes);
    memset(next, 0x5a, chunks * bytes);
    ASSERT_EQ(colocation_.allocate(here_.self(), number, 0, 0), next);
    EXPECT_EQ(std::count(next, next + chunks * bytes, std::byte{0x5a}), chunks * bytes);
    memset(next, 0, bytes);
    EXPECT_EQ(colocation_.allocate(here_.self(), number, reinterpret_cast<uintptr_t>(next), 0), next + bytes);
}

TEST_F(SiblingsTest, WhatWaitedInPoolsThatWentBackIsGivenToNobodyTwice) {
    constexpr size_t bytes = 96;
    const uint32_t number = colocation_.add(bytes);
    colocation_.expect(number, 8);
    const auto lasts = make(number, bytes, 20'000, 1);
    for (const Last& last : lasts) {
        here_.deallocate(last.object);
    }
    std::set<const void*> all;
    for (const Last& last : lasts) {
        // A companion that is gone: what waited behind it may be another's by now, or nobody's.
        auto* object = static_cast<std::byte*>(
            colocation_.allocate(here_.self(), number, reinterpret_cast<uintptr_t>(last.object), 0));
        ASSERT_NE(object, nullptr);
        ASSERT_TRUE(all.insert(object).second);
        memset(object, 0, bytes);
    }
}

TEST_F(ColocationHeapTest, ObjectsDoNotOverlap) {
    const auto vertices = new_vertices(1000);
    std::mt19937 random(1);
    std::set<const Edge*> all;
    for (int i = 0; i < 50'000; ++i) {
        Edge* edge = add_edge(*vertices[random() % vertices.size()]);
        ASSERT_NE(edge, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(edge) % 16, 0U);
        EXPECT_EQ(pools_.usable_size(edge), sizeof(Edge));
        edge->rest[2] = i;
        ASSERT_TRUE(all.insert(edge).second);
    }
    delete_edges(vertices);
}

TEST_F(ColocationHeapTest, AListFollowsItsLastElement) {
    const uint32_t fresh = colocation_.add(48);
    const auto beside = [&](std::byte* last) {
        return static_cast<std::byte*>(
            colocation_.allocate(here_.self(), fresh, reinterpret_cast<uintptr_t>(last), 0));
    };
    std::byte* last = beside(nullptr);
    std::byte* others_last = beside(nullptr);
    int neighbours = 0;
    for (int i = 0; i < 100; ++i) {
        memset(last, 0, 48);
        memset(others_last, 0, 48);
        std::byte* next = beside(last);
        others_last = beside(others_last);
        neighbours += next == last + 48;
        last = next;
    }
    EXPECT_GE(neighbours, 80);
}

TEST_F(ColocationHeapTest, FreedChunksAreUsedAgain) {
    const auto vertices = new_vertices(50);
    std::mt19937 random(2);
    for (int i = 0; i < 5000; ++i) {
        add_edge(*vertices[random() % vertices.size()]);
    }
    const size_t held = held_bytes();
    for (int i = 0; i < tests::amount(500'000); ++i) {
        Vertex& from = *vertices[random() % vertices.size()];
        if (Edge* edge = from.edges) {
            from.edges = edge->next;
            here_.deallocate(edge);
        }
        ASSERT_NE(add_edge(*vertices[random() % vertices.size()]), nullptr);
    }
    EXPECT_LE(held_bytes(), 2 * held + 2 * largest_range);
    delete_edges(vertices);
}

TEST_F(ColocationHeapTest, WhatWaitsIsNoMoreThanTheCLibraryWouldUse) {
    const auto vertices = new_vertices(20'000);
    std::mt19937 random(3);
    const size_t before = held_bytes();
    constexpr size_t count = 400'000;
    for (size_t i = 0; i < count; ++i) {
        ASSERT_NE(add_edge(*vertices[random() % vertices.size()]), nullptr);
    }
    EXPECT_LE(held_bytes() - before, count * 48 * 115 / 100 + 2 * largest_range);
    delete_edges(vertices);
}

TEST_F(ColocationHeapTest, PoolsGoBackWithWhatWaitsInThem) {
    const uint32_t fresh = colocation_.add(100);
    const size_t before = held_bytes();
    std::vector<void*> objects(100'000);
    std::generate(objects.begin(), objects.end(),
                  [&] { return colocation_.allocate(here_.self(), fresh, 0, 0); });
    EXPECT_GT(held_bytes(), before + objects.size() * 100);
    std::for_each(objects.begin(), objects.end(), [&](void* object) { here_.deallocate(object); });
    EXPECT_LE(held_bytes(), before + 2 * largest_range);
}

TEST_F(ColocationHeapTest, AnyWordCanBeACompanion) {
    const auto vertices = new_vertices(1);
    const auto vertex = reinterpret_cast<uintptr_t>(vertices[0]);
    const int outside = 0;
    for (const uintptr_t word :
         {uintptr_t{0}, uintptr_t{1}, ~uintptr_t{0}, reinterpret_cast<uintptr_t>(&outside), vertex + 1,
          vertex + sizeof(Vertex) - 1, pools_.arena().base(),
          pools_.arena().base() + pools_.arena().bytes() - 1}) {
        for (const size_t offset : {size_t{0}, size_t{8}, size_t{248}}) {
            void* object = colocation_.allocate(here_.self(), number_, word, offset);
            ASSERT_NE(object, nullptr);
            here_.deallocate(object);
        }
    }
    // The vertex points into an edge, not at it.
    void* edge = add_edge(*vertices[0]);
    vertices[0]->edges = reinterpret_cast<Edge*>(static_cast<std::byte*>(edge) + 8);
    void* other = colocation_.allocate(here_.self(), number_, vertex, offsetof(Vertex, edges));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(other) % 16, 0U);
    EXPECT_GE(std::max(edge, other), static_cast<std::byte*>(std::min(edge, other)) + sizeof(Edge));
    here_.deallocate(edge);
    here_.deallocate(other);
}

TEST_F(ColocationHeapTest, SizesWithoutAPlaceAreRefused) {
    EXPECT_EQ(colocation_.add(ColocationHeap::largest_bytes + 1), ColocationHeap::none);
    EXPECT_EQ(colocation_.add(ColocationHeap::least_bytes - 1), ColocationHeap::none);
}

TEST_F(ColocationHeapTest, ThreadsShareAGraph) {
    const auto vertices = new_vertices(500);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 4; ++i) {
        threads.emplace_back([&vertices, i, this] {
            for (int n = 0; n < 50'000; ++n) {
                Vertex& mine = *vertices[4 * (static_cast<size_t>(n) % 125) + i];
                // Of a thread that is one of many the first requests are left to others.
                if (add_edge(mine) != nullptr && n % 3 == 0) {
                    Edge* edge = mine.edges;
                    mine.edges = edge->next;
                    here_.deallocate(edge);
                }
            }
        });
    }
    std::for_each(threads.begin(), threads.end(), [](std::thread& each) { each.join(); });
    delete_edges(vertices);
    const auto more = new_vertices(100);
    for (Vertex* vertex : more) {
        ASSERT_NE(add_edge(*vertex), nullptr);
    }
    delete_edges(more);
}

// A seeded fault: a pool that is said to be smaller than what is taken from it.
TEST_F(ColocationHeapTest, ARunThatLeavesItsPoolIsAFault) {
    Vertex* vertex = new_vertex();
    EXPECT_DEATH(
        {
            pools_.arena().find(add_edge(*vertex))->span = 1;
            for (int i = 0; i < 8; ++i) {
                add_edge(*vertex);
            }
        },
        "malloom: fault of malloom's own: colocation_heap.cpp:.*last - pool.start < pool.span");
}

#if defined(MALLOOM_CHECKED)
// A seeded fault: a size that nobody has added.
TEST_F(ColocationHeapTest, ASizeWithoutAClientIsAFault) {
    const auto companion = reinterpret_cast<uintptr_t>(new_vertex());
    EXPECT_DEATH(colocation_.allocate(here_.self(), number_ + 1, companion, offsetof(Vertex, edges)),
                 "malloom: fault of malloom's own: colocation_heap.cpp:.*is_valid.size");
}

// A seeded fault: chunks wait that the pool does not count as reserved.
TEST_F(ColocationHeapTest, WaitingChunksThatAreNotSetApartAreAFault) {
    Vertex* vertex = new_vertex();
    EXPECT_DEATH(
        {
            heaps::Pool* pool = pools_.arena().find(add_edge(*vertex));
            pool->reserved = 0;
            for (int i = 0; i < 8; ++i) {
                add_edge(*vertex);
            }
        },
        "malloom: fault of malloom's own: pool_heap.h:.*pool.reserved != 0");
}
#endif

}  // namespace
}  // namespace malloom::heaps
