// Operator new where there is no memory, and exceptions that leave through its frames.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Wide {
    alignas(128) char bytes[256];
};

std::size_t volatile far_too_much = SIZE_MAX / 4;
std::size_t volatile a_few = 48;
int handled = 0;

void give_up() {
    if (++handled % 3 == 0) throw std::out_of_range("handler");
    if (handled % 3 == 1) return;
    throw std::bad_alloc();
}

template <typename Ask>
int thrown(Ask ask) {
    int caught = 0;
    for (int i = 0; i < 300; ++i) {
        auto small = std::make_unique<std::string>(100, 'x');
        delete[] new char[a_few];
        try {
            ask();
        } catch (const std::bad_alloc&) {
            ++caught;
        } catch (const std::out_of_range&) {
            caught += 1000;
        }
    }
    return caught;
}

int all_ways() {
    int caught = thrown([] { delete static_cast<char*>(operator new(far_too_much)); });
    caught += thrown([] { delete[] new char[far_too_much]; });
    caught += thrown(
        [] { operator delete(operator new(far_too_much, std::align_val_t(64)), std::align_val_t(64)); });
    caught += thrown([] { std::vector<long>(far_too_much / 8); });
    return caught;
}

// Through frames that hold objects of pools, from constructors, and from threads.
struct Fails {
    explicit Fails(int depth) : text(30, 'y') {
        if (depth == 0) throw std::runtime_error("deep");
        inner = std::make_unique<Fails>(depth - 1);
    }
    std::string text;
    std::unique_ptr<Fails> inner;
};

void fail_often(int* count) {
    for (int i = 0; i < 300; ++i) {
        try {
            std::list<Fails> several;
            several.emplace_back(i % 20);
        } catch (const std::runtime_error&) {
            ++*count;
        }
    }
}

}  // namespace

int main() {
    std::printf("without handler %d\n", all_ways());
    std::set_new_handler(give_up);
    const int with_handler = all_ways();
    std::printf("with handler %d, called %d\n", with_handler, handled);
    std::set_new_handler([] { throw std::out_of_range("handler"); });
    std::printf("thrown %d\n", all_ways());
    std::set_new_handler(nullptr);
    std::printf("nothrow %d\n", operator new(far_too_much, std::nothrow) == nullptr);
    std::vector<std::unique_ptr<Wide>> wide;
    for (int i = 0; i < 100; ++i) wide.push_back(std::make_unique<Wide>());
    int aligned = 0;
    for (const auto& one : wide) aligned += reinterpret_cast<std::uintptr_t>(one.get()) % 128 == 0;
    int counts[5] = {};
    std::vector<std::thread> threads;
    for (int i = 1; i < 5; ++i) threads.emplace_back(fail_often, &counts[i]);
    fail_often(&counts[0]);
    for (auto& thread : threads) thread.join();
    std::printf("aligned %d, failed %d\n", aligned,
                counts[0] + counts[1] + counts[2] + counts[3] + counts[4]);
    std::fflush(stdout);
    return operator new(far_too_much) == nullptr;  // not caught
}
