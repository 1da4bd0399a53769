// The heap of libmalloom.so. Other products compose their own; pages and bins take their place before the
// fallback.
#pragma once

#include "runtime/heaps/cascade.h"
#include "runtime/heaps/fallback_heap.h"
#include "runtime/heaps/group_heap.h"
#include "runtime/heaps/plan_heap.h"
#include "runtime/heaps/pool_heap.h"

namespace malloom::heaps {

using RunTimeHeap = Cascade<PlanHeap, Cascade<GroupHeap, Cascade<PoolHeap, FallbackHeap>>>;
static_assert(CompleteHeap<RunTimeHeap>);

}  // namespace malloom::heaps
