#include <cstdlib>

struct Arena {
    int requests;
};

// Its objects do not begin where malloc's do: only its own delete may have them back.
void* operator new(std::size_t bytes, Arena& arena) {
    ++arena.requests;
    char* room = static_cast<char*>(std::malloc(bytes + 16));
    return room + 16;
}

void operator delete(void* object, Arena& arena) {
    --arena.requests;
    std::free(static_cast<char*>(object) - 16);
}
