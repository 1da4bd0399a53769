#include "runtime/context/stable_hash.h"

#include "formats/context_hash.h"
#include "runtime/context/modules.h"

namespace malloom::context {

uint64_t stable_hash(const uintptr_t* frames, unsigned count) {
    uint64_t hash = formats::context_seed;
    for (unsigned i = 0; i < count; ++i) {
        const Module* module = find_module(frames[i]);
        const uint64_t frame = module != nullptr ? formats::frame_hash(module->hash, frames[i] - module->bias)
                                                 : formats::frame_hash(0, 0);
        hash = formats::fold_frame(hash, frame);
    }
    return hash;
}

}  // namespace malloom::context
