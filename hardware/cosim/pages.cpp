#include "hardware/cosim/pages.h"

#include <sstream>

namespace malloom::hardware {

Pages::Pages(Geometry geometry, Unit unit) : geometry_(geometry), unit_(std::move(unit)) {
    for (uint32_t bytes = geometry.smallest_bytes; bytes < geometry.page_bytes; bytes *= 2) {
        classes_.push_back({geometry.page_bytes / bytes, {}, std::nullopt});
    }
}

std::optional<Place> Pages::allocate(uint64_t bytes) {
    const std::optional<uint32_t> number = class_of(bytes);
    if (!number) return std::nullopt;
    Class& size_class = classes_[*number];
    const uint32_t page = page_with_room(size_class);
    if (size_class.in_unit != page) bring(*number, page);
    Bitmap& bitmap = size_class.pages[page];
    const uint32_t chunk = bitmap.first_free().value_or(error_bit);
    bitmap.set_free(chunk, false);
    ++asked_.finds;
    expect({find_chunk, static_cast<uint8_t>(*number), 0, 0}, chunk);
    return Place{*number, page, chunk};
}

// On another page than the unit's it is software that frees.
void Pages::free(const Place& place) {
    Class& size_class = classes_[place.size_class];
    size_class.pages[place.page].set_free(place.chunk, true);
    if (size_class.in_unit != place.page) return;
    ++asked_.frees;
    expect({free_chunk, static_cast<uint8_t>(place.size_class), 0, place.chunk}, 0);
}

uint64_t Pages::pages() const {
    uint64_t count = 0;
    for (const Class& size_class : classes_) count += size_class.pages.size();
    return count;
}

std::optional<uint32_t> Pages::class_of(uint64_t bytes) const {
    for (uint32_t number = 0; number < classes_.size(); ++number) {
        if (bytes <= uint64_t{geometry_.smallest_bytes} << number) return number;
    }
    return std::nullopt;
}

// The unit's as long as it has room, else the first one; a new one where none has.
uint32_t Pages::page_with_room(Class& size_class) const {
    const auto has_room = [&](uint32_t page) { return size_class.pages[page].first_free().has_value(); };
    if (size_class.in_unit && has_room(*size_class.in_unit)) return *size_class.in_unit;
    uint32_t page = 0;
    while (page < size_class.pages.size() && !has_room(page)) ++page;
    if (page == size_class.pages.size()) {
        size_class.pages.emplace_back(size_class.chunks);
        for (uint32_t chunk = 0; chunk < size_class.chunks; ++chunk)
            size_class.pages[page].set_free(chunk, true);
    }
    return page;
}

// The old page's words come back as memory has them, as each free and find changed both.
void Pages::bring(uint32_t number, uint32_t page) {
    Class& size_class = classes_[number];
    for (uint32_t word = 0; word < size_class.pages[page].words(); ++word) {
        const Request request{store, static_cast<uint8_t>(number), word, 0};
        if (size_class.in_unit) {
            ++asked_.stores;
            expect(request, size_class.pages[*size_class.in_unit].word(word));
        }
        ++asked_.loads;
        expect({load, request.size_class, word, size_class.pages[page].word(word)}, 0);
    }
    size_class.in_unit = page;
}

void Pages::expect(const Request& request, uint32_t wanted) {
    const uint32_t found = unit_(request);
    if (found == wanted || !disagreement_.empty()) return;
    std::ostringstream text;
    text << "opcode " << unsigned{request.opcode} << " of class " << unsigned{request.size_class} << ", word "
         << request.word << ", data " << request.data << ": the unit answered " << found << ", not "
         << wanted;
    disagreement_ = text.str();
}

}  // namespace malloom::hardware
