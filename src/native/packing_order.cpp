#include "src/native/packing_order.h"

#include <algorithm>
#include <stdexcept>

namespace malloom::native {

namespace {

constexpr uint64_t maximum_granules = (uint64_t{64} << 30) / 16;
constexpr uint64_t no_place = UINT64_MAX;

constexpr uint64_t round_up(uint64_t value, uint64_t step) {
    return (value + step - 1) / step * step;
}

/// The next address, in granules, as slots are laid down one after the other.
class Cursor {
  public:
    explicit Cursor(const PackingRule& rule) : rule_(rule), line_(rule.line_bytes / 16) {
        if (line_ == 0 || (line_ & (line_ - 1)) != 0) {
            throw std::invalid_argument("a line is a power of two of at least 16 bytes");
        }
    }

    uint64_t take(uint64_t granules, uint64_t alignment) {
        uint64_t start = round_up(end_, alignment);
        const bool crosses = start / line_ != (start + granules - 1) / line_;
        if (rule_.lines == LineRule::separate ||
            (rule_.lines == LineRule::unbroken && granules <= line_ && crosses)) {
            start = round_up(start, std::max(line_, alignment));
        }
        end_ = start + granules;
        if (end_ > maximum_granules) {
            throw std::length_error("the arena would exceed 64 GiB");
        }
        return start;
    }

    uint64_t end() const { return end_; }

  private:
    PackingRule rule_;
    uint64_t line_;
    uint64_t end_ = 0;
};

class Placer {
  public:
    Placer(const Slots& slots, const PackingRule& rule)
        : slots_(slots),
          cursor_(rule),
          starts_(slots.granules.size(), no_place),
          named_(slots.of_request.size()) {}

    void name(uint32_t request) {
        if (request >= named_.size() || named_[request]) {
            throw std::invalid_argument("an order names a request twice, or one that does not exist");
        }
        named_[request] = true;
        const uint32_t slot = slots_.of_request[request];
        if (slot != Slots::none && slots_.heaviest[slot] == request) {
            starts_[slot] = cursor_.take(slots_.granules[slot], slots_.alignment[slot]);
        }
    }

    void name_rest() {
        for (uint32_t request = 0; request < named_.size(); ++request) {
            if (!named_[request]) {
                name(request);
            }
        }
    }

    Placement placement() const {
        Placement placement{std::vector<int64_t>(slots_.of_request.size(), -1), cursor_.end() * 16};
        for (size_t request = 0; request < slots_.of_request.size(); ++request) {
            const uint32_t slot = slots_.of_request[request];
            if (slot != Slots::none) {
                placement.offset[request] = static_cast<int64_t>(starts_[slot] * 16);
            }
        }
        return placement;
    }

  private:
    const Slots& slots_;
    Cursor cursor_;
    std::vector<uint64_t> starts_;
    std::vector<bool> named_;
};

}  // namespace

Placement place_in_order(const Slots& slots, std::span<const uint32_t> order, const PackingRule& rule) {
    Placer placer(slots, rule);
    for (const uint32_t request : order) {
        placer.name(request);
    }
    placer.name_rest();
    return placer.placement();
}

}  // namespace malloom::native
