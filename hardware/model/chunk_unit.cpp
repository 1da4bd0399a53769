#include "hardware/model/chunk_unit.h"

namespace malloom::hardware {

namespace {

// A class for each power of two from the smallest objects to half a page.
std::vector<Bitmap> bitmaps_of(Geometry geometry) {
    std::vector<Bitmap> bitmaps;
    for (uint32_t bytes = geometry.smallest_bytes; bytes < geometry.page_bytes; bytes *= 2) {
        bitmaps.emplace_back(geometry.page_bytes / bytes);
    }
    return bitmaps;
}

}  // namespace

ChunkUnit::ChunkUnit(Geometry geometry) : bitmaps_(bitmaps_of(geometry)) {}

void ChunkUnit::reset() {
    for (Bitmap& bitmap : bitmaps_) bitmap = Bitmap(bitmap.chunks());
    waiting_ = no_error;
}

uint32_t ChunkUnit::answer(const Request& request) {
    switch (request.opcode) {
        case find_chunk:
            return find(request);
        case free_chunk:
            return free(request);
        case load:
        case store:
            return move_word(request);
        case status:
            return take_waiting();
        default:
            return error_bit | no_such_request;
    }
}

uint32_t ChunkUnit::find(const Request& request) {
    if (!has_class(request)) return error_bit | no_such_class;
    if (waiting_ != no_error) return error_bit | take_waiting();
    Bitmap& bitmap = bitmaps_[request.size_class];
    const std::optional<uint32_t> chunk = bitmap.first_free();
    if (!chunk) return error_bit;
    bitmap.set_free(*chunk, false);
    return *chunk;
}

uint32_t ChunkUnit::free(const Request& request) {
    const uint32_t chunk = request.data;
    if (!has_class(request)) {
        keep_waiting(no_such_class);
    } else if (chunk >= bitmaps_[request.size_class].chunks()) {
        keep_waiting(beyond_page);
    } else if (bitmaps_[request.size_class].is_free(chunk)) {
        keep_waiting(freed_twice);
    } else {
        bitmaps_[request.size_class].set_free(chunk, true);
    }
    return 0;
}

// Any word may be an answer to a store, so that what is wrong with one waits as well.
uint32_t ChunkUnit::move_word(const Request& request) {
    ErrorCode wrong = no_error;
    if (!has_class(request)) {
        wrong = no_such_class;
    } else if (request.word >= bitmaps_[request.size_class].words()) {
        wrong = no_such_request;
    }
    if (request.opcode == store) keep_waiting(wrong);
    if (wrong != no_error) return error_bit | wrong;
    Bitmap& bitmap = bitmaps_[request.size_class];
    if (request.opcode == store) return bitmap.word(request.word);
    bitmap.set_word(request.word, request.data);
    return 0;
}

ErrorCode ChunkUnit::take_waiting() {
    const ErrorCode code = waiting_;
    waiting_ = no_error;
    return code;
}

void ChunkUnit::keep_waiting(ErrorCode code) {
    if (waiting_ == no_error) waiting_ = code;
}

}  // namespace malloom::hardware
