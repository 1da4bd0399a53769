// pooled_stress THREADS OPERATIONS [forks]: call sites that each ask for one size, a wrapper among them, from
// several threads that free each other's objects; children do the same. Prints "whole" where every object
// keeps what was written into it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Object {
    size_t bytes;
    uint8_t mark;
};

constexpr size_t shared = 4096;
std::atomic<Object*> slots[shared];
std::atomic<int> wrong;
std::atomic<uint8_t> marks;

[[gnu::noinline]] void* wrapped(size_t bytes) {
    void* object = malloc(bytes);
    __asm__ volatile("" : : "r"(object) : "memory");
    return object;
}
[[gnu::noinline]] void* one_of_48() {
    return wrapped(48);
}
// Of no one size: nothing for a pool.
[[gnu::noinline]] void* one_of_many() {
    static std::atomic<unsigned> number;
    return wrapped(16 + number++ * 7 % 400);
}
[[gnu::noinline]] void* one_of_112() {
    return wrapped(112);
}

Object* written(void* memory, size_t bytes) {
    if (memory == nullptr || reinterpret_cast<uintptr_t>(memory) % 16 != 0) {
        ++wrong;
        return nullptr;
    }
    auto* object = static_cast<Object*>(memory);
    *object = {bytes, marks++};
    memset(object + 1, object->mark, bytes - sizeof(Object));
    return object;
}

Object* make(unsigned way) {
    switch (way % 7) {
        case 0:
            return written(malloc(64), 64);
        case 1:
            return written(malloc(64), 64);
        case 2:
            return written(realloc(malloc(200), 200), 200);
        case 3:
            return written(::operator new(64), 64);
        case 4:
            return written(calloc(2, 48), 96);
        case 5:
            return written(one_of_48(), 48);
        default:
            return written(one_of_112(), 112);
    }
}

void end(Object* object) {
    if (object == nullptr) {
        return;
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(object + 1);
    for (size_t i = 0; i < object->bytes - sizeof(Object); ++i) {
        wrong += bytes[i] != object->mark;
    }
    free(object);
}

void work(unsigned seed, long operations) {
    std::minstd_rand random(seed);
    std::vector<Object*> own;
    for (long i = 0; i < operations; ++i) {
        const auto chosen = static_cast<unsigned>(random());
        end(slots[chosen % shared].exchange(make(chosen / shared)));
        own.push_back(make(chosen / 7));
        if (i % 4 == 0) {
            free(one_of_many());
        }
        if (own.size() > 3000) {
            for (Object*& object : own) {
                end(object);
            }
            own.clear();
        }
    }
    for (Object* object : own) {
        end(object);
    }
}

void work_in_children(long operations) {
    for (int i = 0; i < 10; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            work(static_cast<unsigned>(i), operations / 10);
            _exit(wrong == 0 ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        wrong += status != 0;
    }
}

}  // namespace

int main(int count, char** words) {
    const long threads = atol(words[1]), operations = atol(words[2]);
    const bool forks = count > 3;
    for (int round = 0; round < 2; ++round) {  // the second adopts what the first has left
        std::vector<std::thread> all;
        for (long i = 0; i < threads; ++i) {
            all.emplace_back(work, static_cast<unsigned>(i), operations);
        }
        if (forks) {
            work_in_children(operations);
        }
        for (std::thread& thread : all) {
            thread.join();
        }
    }
    for (auto& slot : slots) {
        end(slot.exchange(nullptr));
    }
    puts(wrong == 0 ? "whole" : "broken");
    return wrong == 0 ? 0 : 1;
}
