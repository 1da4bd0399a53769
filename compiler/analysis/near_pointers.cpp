#include "compiler/analysis/near_pointers.h"

#include <llvm/ADT/STLExtras.h>

namespace malloom::compiler {

namespace {

void add_pointers_between(const AliasSet& set, int64_t begin, int64_t end, Offsets& found) {
    const auto& all = set.pointers();
    const auto last = all.lower_bound(end);
    for (auto each = all.upper_bound(begin - static_cast<int64_t>(pointer_bytes));
         each != all.end() && each != last; ++each) {
        found.push_back(each->first);
    }
}

}  // namespace

Offsets pointers_near(const AliasSet& set, int64_t offset, uint64_t bytes) {
    const auto stride = static_cast<int64_t>(set.stride());
    Offsets found;
    if (bytes > INT32_MAX ||
        (stride != 0 && (stride < static_cast<int64_t>(pointer_bytes) || bytes >= set.stride()))) {
        add_pointers_between(set, INT64_MIN + static_cast<int64_t>(pointer_bytes), INT64_MAX, found);
        return found;
    }
    for (const int64_t begin : set.alternatives(offset)) {
        const int64_t end = begin + static_cast<int64_t>(bytes);
        add_pointers_between(set, begin, end, found);
        if (stride != 0) {
            add_pointers_between(set, begin - stride, end - stride, found);
            add_pointers_between(set, begin + stride, end + stride, found);
        }
    }
    for (const auto& offsets : set.ambiguous()) {
        if (set.pointers().contains(offsets.front())) {
            found.push_back(offsets.front());
        }
    }
    llvm::sort(found);
    found.erase(llvm::unique(found), found.end());
    return found;
}

}  // namespace malloom::compiler
