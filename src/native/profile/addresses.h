// The accesses of a process as they were recorded: by address, whether an object lies there or not. Memory
// that a program maps by itself, such as the pools of compiled code, has no request of malloc's.
#pragma once

#include <vector>

#include "src/native/accesses/addresses.h"
#include "src/native/profile/accesses.h"
#include "src/native/profile/recording.h"

namespace malloom::native {

/// Yields the accesses of `process` (which must outlive it). Those of different threads between the same two
/// tickets come thread by thread. Sizes and addresses are the recorder's; it leaves out stacks and modules.
class RecordedAddresses : public AddressSource {
  public:
    explicit RecordedAddresses(const ProcessChunks& process);

    std::span<const AddressedAccess> next_batch() override;

  private:
    static constexpr size_t batch_accesses = 8192;

    std::vector<AccessCursor> cursors_;
    std::vector<AddressedAccess> batch_;
};

}  // namespace malloom::native
