// One form of operator new and one of delete: the library's others go through these.
#include <cstddef>
#include <cstdlib>
#include <new>

std::size_t living;

void* operator new(std::size_t bytes) {
    auto* place = static_cast<std::size_t*>(std::malloc(bytes + 16));
    if (place == nullptr) {
        throw std::bad_alloc();
    }
    place[0] = bytes;
    living += bytes;
    return place + 2;
}

void operator delete(void* object) noexcept {
    if (object == nullptr) {
        return;
    }
    auto* place = static_cast<std::size_t*>(object) - 2;
    living -= place[0];
    std::free(place);
}
