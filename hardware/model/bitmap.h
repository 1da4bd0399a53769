// The bitmap of a page as plain C++: a bit a chunk, 1 where it is free.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace malloom::hardware {

class Bitmap {
  public:
    /// With all chunks taken.
    explicit Bitmap(uint32_t chunks) : is_free_(chunks, false) {}

    uint32_t chunks() const { return static_cast<uint32_t>(is_free_.size()); }
    uint32_t words() const { return (chunks() + bits_of_word - 1) / bits_of_word; }

    bool is_free(uint32_t chunk) const { return is_free_[chunk]; }
    void set_free(uint32_t chunk, bool is_free) { is_free_[chunk] = is_free; }

    /// The lowest free chunk; nothing where all are taken.
    std::optional<uint32_t> first_free() const;

    /// Chunk n is bit n % 32 of word n / 32; bits beyond the last chunk are 0, and not kept.
    uint32_t word(uint32_t index) const;
    void set_word(uint32_t index, uint32_t value);

  private:
    static constexpr uint32_t bits_of_word = 32;

    std::vector<bool> is_free_;
};

}  // namespace malloom::hardware
