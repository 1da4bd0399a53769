// Strings whose characters the program requests, and the C++ library releases when they grow.
// shows: library_releases
// proves: 40 no  reason: a library may release it
#include <cstdio>
#include <string>

struct node {
    std::string text;
    node* next;
};

int main() {
    node* all = nullptr;
    for (int i = 0; i < 60; ++i) {
        node* made = new node{std::string("a text of more than sixteen characters"), all};
        made->text += std::to_string(i);
        for (int j = 0; j < i % 7; ++j) made->text.append("and more of it, so that it grows");
        all = made;
    }
    unsigned long sum = 0;
    while (all != nullptr) {
        for (const char each : all->text) sum = sum * 31 + static_cast<unsigned char>(each);
        node* next = all->next;
        delete all;
        all = next;
    }
    std::string one(40, 'x'), other = one;
    one.insert(3, other);
    other = one;
    std::printf("%lu %zu\n", sum, other.size());
    return 0;
}
