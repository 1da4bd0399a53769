// Strings whose characters have a pointer among them, which the C++ library assigns, appends and exchanges.
// proves: 24 no  reason: goes outside and comes back
#include <cstdio>
#include <cstring>
#include <string>

struct job {
    job* next;
    long key, weight;
};
struct message {
    long kind;
    job* about;
    long more[3];
};

__attribute__((noinline)) static long received(const std::string& text, size_t at) {
    message got;
    std::memcpy(&got, text.data() + at * sizeof got, sizeof got);
    return got.kind + got.about->key + 100 * got.about->weight;
}

static volatile int count = 20;

int main() {
    job* jobs = nullptr;
    unsigned long sum = 0;
    std::string made, assigned, appended, replaced, exchanged;
    made.resize(sizeof(message));
    for (int i = 0; i < count; ++i) {
        jobs = new job{jobs, i, 3 * i};
        const message sent = {i, jobs, {1, 2, 3}};
        std::memcpy(made.data(), &sent, sizeof sent);
        assigned = made;
        appended += made;
        replaced.replace(0, replaced.size(), made);
        sum = sum * 3 + received(assigned, 0);
        sum = sum * 5 + received(appended, i);
        sum = sum * 7 + received(replaced, 0);
        exchanged.swap(replaced);
        sum = sum * 11 + received(exchanged, 0);
    }
    for (const job* each = jobs; each != nullptr; each = each->next) sum += each->key + each->weight;
    std::printf("%lu\n", sum);
    return 0;
}
