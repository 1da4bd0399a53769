#include "runtime/context/context_table.h"
#include "tests/amount.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace {

using malloom::context::ContextTable;
using malloom::context::max_depth;
using malloom::context::other_contexts;

struct Value {
    std::atomic<uint64_t> hits{0};
    uint64_t filled = 0;
};
using Table = ContextTable<Value>;
using Chain = std::vector<uintptr_t>;

Table::Entry& enter(Table& table, const Chain& chain) {
    return table.find_or_insert(chain.data(), static_cast<unsigned>(chain.size()),
                                [&](Table::Entry& entry) { entry.value.filled = chain[0]; });
}

// Without memory of its own, for signal handlers and forked children.
Table::Entry& enter_chain(Table& table, uintptr_t inner, uintptr_t outer) {
    const uintptr_t frames[] = {inner, outer};
    return table.find_or_insert(frames, 2, [](Table::Entry&) {});
}

Chain make_chain(uint64_t seed, unsigned depth) {
    std::mt19937_64 random(seed);
    Chain chain(depth);
    for (uintptr_t& frame : chain) {
        frame = 0x7f0000000000 + random() % (1 << 20);
    }
    return chain;
}

constinit Table static_table;  // compiles only where no constructor has to run

TEST(ContextTable, IsUsableAsAStaticObject) {
    EXPECT_EQ(enter(static_table, {1, 2}).number, 1U);
    EXPECT_EQ(enter(static_table, {1, 2}).number, 1U);
}

TEST(ContextTable, KeepsEveryChainApartAtEveryDepth) {
    auto table = std::make_unique<Table>();
    constexpr unsigned each = 300;
    for (unsigned depth = 1; depth <= max_depth; ++depth) {
        for (unsigned i = 0; i < each; ++i) {
            const Chain chain = make_chain(depth * 1000 + i, depth);
            EXPECT_EQ(table->find(chain.data(), depth), nullptr);
            Table::Entry& entry = enter(*table, chain);
            EXPECT_EQ(entry.number, table->size());
            EXPECT_EQ(Chain(entry.frames, entry.frames + entry.depth), chain);
            EXPECT_EQ(entry.value.filled, chain[0]);
            EXPECT_EQ(&enter(*table, chain), &entry);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(&entry) % 64, 0U);
        }
    }
    EXPECT_EQ(table->size(), each * max_depth);
    for (unsigned depth = 1; depth <= max_depth; ++depth) {
        for (unsigned i = 0; i < each; ++i) {
            const Chain chain = make_chain(depth * 1000 + i, depth);
            ASSERT_NE(table->find(chain.data(), depth), nullptr);
        }
    }
}

// Chains that differ in one frame, in the order, or in where they stop: what a weak hash would confuse.
TEST(ContextTable, KeepsSimilarChainsApart) {
    Table table;
    std::set<Chain> chains;
    const Chain base = make_chain(1, 8);
    for (size_t i = 0; i < base.size(); ++i) {
        for (unsigned bit = 0; bit < 47; ++bit) {
            Chain other = base;
            other[i] ^= uintptr_t{1} << bit;
            chains.insert(other);
        }
    }
    for (size_t i = 0; i < base.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            Chain other = base;
            std::swap(other[i], other[j]);
            chains.insert(other);
            chains.insert(Chain(base.begin() + static_cast<long>(j), base.begin() + static_cast<long>(i)));
        }
    }
    for (const Chain& chain : chains) {
        enter(table, chain);
    }
    EXPECT_EQ(table.size(), chains.size());
}

TEST(ContextTable, SendsWhatIsTooMuchToTheCatchAll) {
    Table table(100);
    for (uintptr_t i = 1; i <= 150; ++i) {
        Table::Entry& entry = enter(table, {i, i});
        EXPECT_EQ(entry.number, i <= 100 ? i : other_contexts);
    }
    EXPECT_EQ(enter(table, {120, 120}).number, other_contexts);
    EXPECT_EQ(enter(table, {50, 50}).number, 50U);
    EXPECT_EQ(table.size(), 100U);
}

TEST(ContextTable, VisitsEveryEntryOnce) {
    Table table;
    for (uintptr_t i = 1; i <= 5000; ++i) {
        enter(table, {i});
    }
    std::set<uint32_t> numbers;
    table.for_each([&](Table::Entry& entry) { EXPECT_TRUE(numbers.insert(entry.number).second); });
    EXPECT_EQ(numbers.size(), 5001U);
    EXPECT_EQ(*numbers.begin(), other_contexts);
    EXPECT_EQ(*numbers.rbegin(), 5000U);
}

TEST(ContextTable, GivesThreadsTheSameEntries) {
    constexpr unsigned thread_count = 8;
    constexpr unsigned chain_count = 3000;
    auto table = std::make_unique<Table>();
    std::vector<std::vector<uint32_t>> numbers(thread_count, std::vector<uint32_t>(chain_count));
    std::vector<std::thread> threads;
    threads.reserve(thread_count);
    for (unsigned t = 0; t < thread_count; ++t) {
        threads.emplace_back([&, t] {
            for (unsigned i = 0; i < chain_count; ++i) {
                const unsigned place = t % 2 == 0 ? i : chain_count - 1 - i;
                Table::Entry& entry = enter(*table, {place + 1, 77, 78});
                entry.value.hits.fetch_add(1, std::memory_order_relaxed);
                numbers[t][place] = entry.number;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(table->size(), chain_count);
    for (unsigned t = 1; t < thread_count; ++t) {
        EXPECT_EQ(numbers[t], numbers[0]);
    }
    table->for_each([&](Table::Entry& entry) {
        EXPECT_EQ(entry.value.hits.load(), entry.number == other_contexts ? 0 : thread_count);
    });
}

auto signal_table = std::make_unique<Table>();
volatile sig_atomic_t signals_taken;

// Few enough to leave room for the others, however often it is called before the interrupted thread goes on.
void insert_in_handler(int) {
    static uintptr_t next = 0;
    enter_chain(*signal_table, (1U << 20) + ++next % 10000, 5);
    signals_taken = signals_taken + 1;
}

// A timer interrupts insertions with a handler that inserts: it may get the catch-all, it may not hang.
TEST(ContextTable, SurvivesSignalsThatInsert) {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = insert_in_handler;
    sigaction(SIGALRM, &action, &before);
    std::atomic<bool> done{false};
    std::thread bell([&, self = pthread_self()] {
        while (!done.load()) {
            pthread_kill(self, SIGALRM);
            std::this_thread::yield();
        }
    });
    uintptr_t inserted = 0;
    while (inserted < 100000 && (signals_taken < 200 || inserted < 1000)) {
        enter_chain(*signal_table, ++inserted, 6);
    }
    done = true;
    bell.join();
    sigaction(SIGALRM, &before, nullptr);
    for (uintptr_t i = 1; i <= inserted; ++i) {
        const Chain chain{i, 6};
        ASSERT_NE(signal_table->find(chain.data(), 2), nullptr);
    }
}

#if !defined(__SANITIZE_THREAD__)
// The children are made while another thread keeps inserting, so some inherit a lock whose owner they do not
// have.
TEST(ContextTable, SurvivesForks) {
    for (int round = 0; round < malloom::tests::amount(30); ++round) {
        auto table = std::make_unique<Table>();
        std::atomic<bool> done{false};
        std::thread inserter([&] {
            for (uintptr_t i = 1; i < 50000 && !done.load(); ++i) {
                enter_chain(*table, i, 7);
            }
        });
        while (table->size() < 100) {
            std::this_thread::yield();
        }
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            for (uintptr_t i = 1; i < 100; ++i) {
                enter_chain(*table, i, 8);
            }
            _exit(0);
        }
        int status = 0;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        done = true;
        inserter.join();
    }
}
#endif

#if defined(MALLOOM_CHECKED)
// A seeded fault: the table would grow with an entry that none finds.
TEST(ContextTable, AnEntryWithAnotherKeyIsAFault) {
    auto table = std::make_unique<Table>();
    Table::Entry& entry = enter(*table, {1, 2});
    EXPECT_TRUE(table->is_valid());
    EXPECT_DEATH(
        {
            ++entry.key;
            for (uintptr_t outer = 3; outer < 2'000; ++outer) {
                enter_chain(*table, 1, outer);
            }
        },
        "malloom: fault of malloom's own: context_table.h:.*is_valid");
}
#endif

}  // namespace
