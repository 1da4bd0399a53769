// Messages with a pointer behind their kind go as letters through strings and a stream; names are only text.
// proves: 24 no  reason: goes outside and comes back
// proves: 40 pool  reason: is given to a function of a library
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

struct job {
    job* next;
    long key, weight;
};
struct named {
    named* next;
    char name[16];
    long first, second;
};
struct message {
    long kind;
    job* about;
};

static std::string queue, last, front, many, names;
static std::stringstream stream;
static std::ostringstream written;
static std::vector<message> waiting;

__attribute__((noinline)) static void send(long kind, job* about) {
    const message made = {kind, about};
    const char* letters = reinterpret_cast<const char*>(&made);
    queue.append(letters, sizeof made);
    last.assign(letters, sizeof made);
    front.insert(0, letters, sizeof made);
    stream << std::string_view(letters, sizeof made);
    waiting.push_back(made);
    if (kind % 3 == 2) {
        many.append(reinterpret_cast<const char*>(waiting.data()), waiting.size() * sizeof made);
        waiting.clear();
    }
}

__attribute__((noinline)) static long received(const char* letters) {
    message got;
    std::memcpy(&got, letters, sizeof got);
    return got.kind + got.about->key + 100 * got.about->weight;
}

static volatile int count = 21;

int main() {
    job* jobs = nullptr;
    named* all = nullptr;
    unsigned long sum = 0;
    for (int i = 0; i < count; ++i) {
        jobs = new job{jobs, i, 3 * i};
        send(i, jobs);
        sum = sum * 3 + received(last.data());
        all = new named{all, {}, i, 2 * i};
        std::snprintf(all->name, sizeof all->name, "name %d", i);
    }
    for (; !queue.empty(); queue.erase(0, sizeof(message))) sum = sum * 5 + received(queue.data());
    for (; !front.empty(); front.erase(0, sizeof(message))) sum = sum * 7 + received(front.data());
    for (; !many.empty(); many.erase(0, 3 * sizeof(message))) {
        sum = sum * 11 + received(many.data() + 2 * sizeof(message));
    }
    for (char got[sizeof(message)]; stream.read(got, sizeof got);) sum = sum * 13 + received(got);
    for (const job* each = jobs; each != nullptr; each = each->next) sum += each->key + each->weight;
    for (const named* each = all; each != nullptr; each = each->next) {
        names += each->name;
        written << each->name;
        sum = sum * 17 + each->first + each->second;
    }
    std::printf("%lu %s %s\n", sum, names.c_str(), written.str().c_str());
    return 0;
}
