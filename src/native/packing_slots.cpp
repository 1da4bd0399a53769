#include "src/native/packing_slots.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace malloom::native {

namespace {

constexpr uint64_t never = UINT64_MAX;

struct Freed {
    uint32_t slot;
    uint32_t use;  ///< how often the slot had been taken: an older entry is stale
};

/// Free slots by class (room and alignment) and by class and context. A slot lies in both stacks; taking it
/// from one leaves a stale entry in the other.
class FreeSlots {
  public:
    void add(uint64_t kind, uint32_t context, Freed freed) {
        any_[kind].push_back(freed);
        own_[own_key(kind, context)].push_back(freed);
    }

    uint32_t take(uint64_t kind, uint32_t context, std::vector<uint32_t>& uses) {
        const uint32_t slot = pop(own_, own_key(kind, context), uses);
        return slot != Slots::none ? slot : pop(any_, kind, uses);
    }

  private:
    using Stacks = std::unordered_map<uint64_t, std::vector<Freed>>;

    /// Exact, as `kind` is below 2^32.
    static uint64_t own_key(uint64_t kind, uint32_t context) { return kind << 32 | context; }

    static uint32_t pop(Stacks& stacks, uint64_t key, std::vector<uint32_t>& uses) {
        const auto found = stacks.find(key);
        if (found == stacks.end()) {
            return Slots::none;
        }
        std::vector<Freed>& stack = found->second;
        while (!stack.empty()) {
            const Freed freed = stack.back();
            stack.pop_back();
            if (uses[freed.slot] == freed.use) {
                ++uses[freed.slot];
                return freed.slot;
            }
        }
        return Slots::none;
    }

    Stacks any_;
    Stacks own_;
};

class SlotFormer {
  public:
    SlotFormer(const PackedRequests& requests, uint64_t maximum_bytes)
        : requests_(requests), maximum_bytes_(maximum_bytes), deaths_(deaths_in_order(requests.death)) {
        slots_.of_request.assign(requests.birth.size(), Slots::none);
    }

    Slots form() {
        for (uint32_t request = 0; request < requests_.birth.size(); ++request) {
            release_before(requests_.birth[request]);
            if (requests_.size[request] <= maximum_bytes_) {
                place(request);
            }
        }
        return std::move(slots_);
    }

  private:
    static std::vector<std::pair<uint64_t, uint32_t>> deaths_in_order(std::span<const uint64_t> death) {
        std::vector<std::pair<uint64_t, uint32_t>> deaths;
        for (uint32_t request = 0; request < death.size(); ++request) {
            if (death[request] != never) {
                deaths.emplace_back(death[request], request);
            }
        }
        std::sort(deaths.begin(), deaths.end());
        return deaths;
    }

    /// Room and log2 of the alignment as one number below 2^32: rooms stay below 2^26 granules (1 GiB).
    uint64_t kind_of(uint32_t request) const {
        return granules_of(requests_.size[request]) << 6 |
               static_cast<uint64_t>(std::countr_zero(alignment_of(request)));
    }

    uint32_t alignment_of(uint32_t request) const { return std::max(requests_.alignment[request] / 16, 1U); }

    void release_before(uint64_t ticket) {
        for (; next_death_ < deaths_.size() && deaths_[next_death_].first < ticket; ++next_death_) {
            const uint32_t request = deaths_[next_death_].second;
            const uint32_t slot = slots_.of_request[request];
            if (slot != Slots::none) {
                free_.add(kind_of(request), requests_.context[request], {slot, uses_[slot]});
            }
        }
    }

    void place(uint32_t request) {
        uint32_t slot = free_.take(kind_of(request), requests_.context[request], uses_);
        if (slot == Slots::none) {
            slot = static_cast<uint32_t>(slots_.granules.size());
            slots_.granules.push_back(static_cast<uint32_t>(granules_of(requests_.size[request])));
            slots_.alignment.push_back(alignment_of(request));
            slots_.heaviest.push_back(request);
            uses_.push_back(0);
        }
        slots_.of_request[request] = slot;
        uint32_t& heaviest = slots_.heaviest[slot];
        if (requests_.accesses[request] > requests_.accesses[heaviest]) {
            heaviest = request;
        }
    }

    const PackedRequests& requests_;
    uint64_t maximum_bytes_;
    std::vector<std::pair<uint64_t, uint32_t>> deaths_;
    size_t next_death_ = 0;
    std::vector<uint32_t> uses_;
    FreeSlots free_;
    Slots slots_;
};

void check(const PackedRequests& requests, uint64_t maximum_bytes) {
    const size_t count = requests.birth.size();
    for (const size_t length : {requests.death.size(), requests.size.size(), requests.alignment.size(),
                                requests.context.size(), requests.accesses.size()}) {
        if (length != count) {
            throw std::invalid_argument("the requests' columns differ in length");
        }
    }
    if (count >= Slots::none || maximum_bytes > (uint64_t{1} << 30)) {
        throw std::invalid_argument("too many requests, or slots above 1 GiB");
    }
    if (!std::is_sorted(requests.birth.begin(), requests.birth.end())) {
        throw std::invalid_argument("requests are not in time order");
    }
    const auto odd = [](uint32_t alignment) { return alignment != 0 && !std::has_single_bit(alignment); };
    if (std::any_of(requests.alignment.begin(), requests.alignment.end(), odd)) {
        throw std::invalid_argument("an alignment is no power of two");
    }
}

}  // namespace

Slots form_slots(const PackedRequests& requests, uint64_t maximum_bytes) {
    check(requests, maximum_bytes);
    return SlotFormer(requests, maximum_bytes).form();
}

}  // namespace malloom::native
