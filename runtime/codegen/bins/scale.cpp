#include "runtime/codegen/bins/scale.h"

#include "runtime/codegen/bins/bits.h"

namespace malloom::codegen::bins {

Scale scale_to(unsigned bits, const uint32_t* numbers, unsigned count) {
    // Of a sum that does not fit into a word it is not known how large it is: then the next one tells.
    for (unsigned shift = 0;;) {
        uint32_t sum = 0;
        for (unsigned each = 0; each < count; ++each) {
            const uint32_t more = numbers[each] >> shift;
            sum = sum + more < more ? UINT32_MAX : sum + more;
        }
        const unsigned width = bit_width(sum);
        if (width <= bits) {
            return {shift, sum};
        }
        shift += width - bits;
    }
}

}  // namespace malloom::codegen::bins
