#include "src/native/profile/addresses.h"

#include <algorithm>

namespace malloom::native {

RecordedAddresses::RecordedAddresses(const ProcessChunks& process) {
    for (const ThreadChunks& thread : process.threads) cursors_.emplace_back(thread.accesses);
    batch_.reserve(batch_accesses);
}

std::span<const AddressedAccess> RecordedAddresses::next_batch() {
    batch_.clear();
    const auto earliest = std::ranges::min_element(cursors_, {}, &AccessCursor::position);
    if (earliest == cursors_.end() || earliest->position() == AccessCursor::no_ticket) return {};
    const auto run = earliest->run().first(std::min(earliest->run().size(), batch_accesses));
    for (const uint64_t entry : run) batch_.push_back({entry});
    earliest->pass(run.size());
    return batch_;
}

}  // namespace malloom::native
