// zstd without malloc: the compressor lives in memory that its owner gives it.
#pragma once

#include <stddef.h>

struct ZSTD_CCtx_s;

namespace malloom::stream {

/// Compresses one payload at a time, each into a frame of its own. Not thread-safe; needs no destruction.
class Compressor {
  public:
    /// Bytes of memory that a compressor for payloads up to `payload_bytes` needs.
    static size_t memory_bytes(size_t payload_bytes);
    /// The most that compress writes for a payload.
    static size_t bound(size_t payload_bytes);

    /// Takes `bytes` of memory, 8-byte aligned, for as long as the compressor is used. False when that is too
    /// little.
    bool use(void* memory, size_t bytes, size_t payload_bytes);

    /// Two compression levels of zstd: the fast one finds less of what repeats.
    enum class Level { normal, fast };

    /// Sets the level of what is compressed from now on.
    void set_level(Level level);

    /// Returns the size of the frame in `out`, or 0 when it does not fit.
    size_t compress(const unsigned char* payload, size_t bytes, unsigned char* out, size_t capacity);

  private:
    ZSTD_CCtx_s* context_ = nullptr;
};

}  // namespace malloom::stream
