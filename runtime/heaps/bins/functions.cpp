// From a size to its bin.
#include "include/malloom/bins.h"
#include "runtime/codegen/bins/table_functions.h"

namespace codegen = malloom::codegen::bins;

extern "C" {

unsigned int malloom_bins_original(size_t chunk_bytes, const malloom_bins*) {
    return codegen::original_bin(chunk_bytes);
}

unsigned int malloom_bins_variable(size_t chunk_bytes, const malloom_bins* heap) {
    return codegen::range_of(heap->begins, heap->bins, chunk_bytes);
}

}  // extern "C"
