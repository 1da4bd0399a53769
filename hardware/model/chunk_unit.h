// What the chunk unit of hardware/rtl does, as plain C++: each answer, and the bitmaps after it. It knows no
// clock.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/model/bitmap.h"
#include "hardware/model/request.h"

namespace malloom::hardware {

class ChunkUnit {
  public:
    explicit ChunkUnit(Geometry geometry = {});

    uint32_t answer(const Request& request);
    /// All chunks taken, no error.
    void reset();

    uint32_t classes() const { return static_cast<uint32_t>(bitmaps_.size()); }
    const Bitmap& bitmap(uint32_t size_class) const { return bitmaps_[size_class]; }

  private:
    uint32_t find(const Request& request);
    uint32_t free(const Request& request);
    uint32_t move_word(const Request& request);
    ErrorCode take_waiting();
    void keep_waiting(ErrorCode code);

    bool has_class(const Request& request) const { return request.size_class < classes(); }

    std::vector<Bitmap> bitmaps_;
    ErrorCode waiting_ = no_error;
};

}  // namespace malloom::hardware
