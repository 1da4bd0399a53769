#define ZSTD_STATIC_LINKING_ONLY
#include "record/stream/compressor.h"

#include <zstd.h>

namespace malloom::stream {

namespace {

// Measured in docs/results/notes-recording.md: the level at which recording and compressing together are
// cheapest.
constexpr int normal_level = -7;
constexpr int fast_level = -30;

ZSTD_compressionParameters parameters(size_t payload_bytes) {
    return ZSTD_getCParams(normal_level, payload_bytes, 0);
}

}  // namespace

size_t Compressor::memory_bytes(size_t payload_bytes) {
    return ZSTD_estimateCCtxSize_usingCParams(parameters(payload_bytes));
}

size_t Compressor::bound(size_t payload_bytes) {
    return ZSTD_compressBound(payload_bytes);
}

bool Compressor::use(void* memory, size_t bytes, size_t payload_bytes) {
    context_ = ZSTD_initStaticCCtx(memory, bytes);
    if (context_ == nullptr) return false;
    const ZSTD_compressionParameters chosen = parameters(payload_bytes);
    // A static context begins with all parameters zero, which are not the defaults.
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_contentSizeFlag, 1);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, normal_level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, static_cast<int>(chosen.windowLog));
    return true;
}

void Compressor::set_level(Level level) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel,
                           level == Level::fast ? fast_level : normal_level);
}

size_t Compressor::compress(const unsigned char* payload, size_t bytes, unsigned char* out, size_t capacity) {
    const size_t size = ZSTD_compress2(context_, out, capacity, payload, bytes);
    return ZSTD_isError(size) != 0 ? 0 : size;
}

}  // namespace malloom::stream
