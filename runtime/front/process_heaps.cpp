#include "runtime/front/process_heaps.h"

namespace malloom::front {

constinit ProcessHeaps process_heaps;

}  // namespace malloom::front
