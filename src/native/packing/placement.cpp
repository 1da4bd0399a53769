#include "src/native/packing/placement.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "checks/check.h"
#include "src/native/packing/sweep.h"

namespace malloom::native {

namespace {

constexpr uint64_t round_up(uint64_t value, uint64_t step) {
    return (value + step - 1) / step * step;
}

uint64_t line_granules(const PackingRule& rule) {
    if (rule.line_bytes < 16 || !std::has_single_bit(rule.line_bytes)) {
        throw std::invalid_argument("a line is a power of two of at least 16 bytes");
    }
    return rule.line_bytes / 16;
}

/// What requests take under a rule.
Needs needs_of(const Timeline& timeline, const PackingRule& rule) {
    const uint64_t line = line_granules(rule);
    Needs needs{timeline.granules, timeline.alignment};
    for (size_t request = 0; request < needs.room.size(); ++request) {
        uint32_t& room = needs.room[request];
        uint32_t& alignment = needs.alignment[request];
        if (rule.lines == LineRule::separate) {
            room = static_cast<uint32_t>(round_up(room, line));
            alignment = std::max(alignment, static_cast<uint32_t>(line));
        } else if (rule.lines == LineRule::unbroken && room <= line) {
            alignment = std::max(alignment, std::bit_ceil(room));
        }
    }
    return needs;
}

/// The generations as pieces, in the order that requests are named.
class Pieces {
  public:
    Pieces(const Timeline& timeline, const Needs& needs, const PackingRule& rule)
        : timeline_(timeline),
          needs_(needs),
          line_(rule.lines == LineRule::unbroken ? line_granules(rule) : 0),
          pieces_(timeline.generations),
          named_(timeline.generation.size()) {
        std::array<size_t, 256> count{};
        for (const uint8_t generation : timeline.generation) {
            ++count[generation];
        }
        for (size_t generation = 0; generation < pieces_.size(); ++generation) {
            pieces_[generation].places.reserve(count[generation]);
        }
    }

    void name(uint32_t request) {
        if (request >= named_.size() || named_[request]) {
            throw std::invalid_argument("an order names a request twice, or one that does not exist");
        }
        named_[request] = true;
        const uint8_t generation = timeline_.generation[request];
        if (generation < timeline_.generations) {
            append(pieces_[generation], request);
        }
    }

    std::vector<Piece> complete() && {
        for (uint32_t request = 0; request < named_.size(); ++request) {
            if (!named_[request]) {
                name(request);
            }
        }
        return std::move(pieces_);
    }

  private:
    void append(Piece& piece, uint32_t request) {
        // Closer than needs_ says: a line may be shared as long as nothing crosses its end.
        uint64_t start =
            round_up(piece.room, line_ != 0 ? timeline_.alignment[request] : needs_.alignment[request]);
        const uint64_t room = needs_.room[request];
        if (line_ != 0 && room <= line_ && start / line_ != (start + room - 1) / line_) {
            start = round_up(start, std::max<uint64_t>(line_, timeline_.alignment[request]));
        }
        if (start + room > UINT32_MAX) {
            throw std::length_error("the arena would reach 64 GiB");
        }
        piece.places.emplace_back(request, static_cast<uint32_t>(start));
        piece.room = start + room;
        piece.alignment = std::max<uint64_t>({piece.alignment, line_, needs_.alignment[request]});
    }

    const Timeline& timeline_;
    const Needs& needs_;
    uint64_t line_;  ///< granules; 0: lines do not matter
    std::vector<Piece> pieces_;
    std::vector<bool> named_;
};

/// Goes through the events on one side of the first generation's moment.
class Side {
  public:
    Side(const Timeline& timeline, const Needs& needs, const std::vector<Piece>& pieces,
         std::vector<uint32_t>& starts)
        : timeline_(timeline), pieces_(pieces), starts_(starts), sweep_(needs, starts) {
        if (!pieces.empty()) {
            sweep_.settle(pieces[0]);
        }
    }

    uint64_t forward() {
        for (uint64_t at = timeline_.pivot; at < timeline_.events.size(); ++at) {
            const uint32_t request = timeline_.events[at] / 2;
            if (timeline_.events[at] % 2 == 0) {
                place(request, timeline_.adjacent[at]);
            } else {
                release(request, at + 1 < timeline_.events.size() && timeline_.adjacent[at + 1]);
            }
        }
        return sweep_.highest();
    }

    /// Backward, deaths are births.
    uint64_t backward() {
        for (uint64_t at = timeline_.pivot; at-- > 0;) {
            const uint32_t request = timeline_.events[at] / 2;
            if (timeline_.events[at] % 2 != 0) {
                place(request, at + 1 < timeline_.pivot && timeline_.adjacent[at + 1]);
            } else {
                release(request, timeline_.adjacent[at]);
            }
        }
        return sweep_.highest();
    }

  private:
    static constexpr uint32_t none = UINT32_MAX;

    /// `is_kept`: the next event places a request that may take over.
    void release(uint32_t request, bool is_kept) {
        if (is_kept) {
            released_ = request;
        } else {
            sweep_.end(request);
        }
    }

    void place(uint32_t request, bool is_adjacent) {
        const uint32_t before = is_adjacent ? std::exchange(released_, none) : none;
        const uint8_t generation = timeline_.generation[request];
        const bool is_passing = generation == Timeline::passing;
        if (is_passing && before != none) {
            sweep_.replace(before, request);
            return;
        }
        if (is_passing) {
            sweep_.begin(request);
        } else if (starts_[request] == Sweep::no_place) {
            sweep_.settle(pieces_[generation]);
        }
        if (before != none) {
            sweep_.end(before);
        }
    }

    const Timeline& timeline_;
    const std::vector<Piece>& pieces_;
    std::vector<uint32_t>& starts_;
    Sweep sweep_;
    uint32_t released_ = none;
};

/// What is alive, by where it begins: its end.
using Living = std::map<int64_t, int64_t>;

bool begin(Living& living, int64_t start, int64_t end) {
    const auto after = living.lower_bound(start);
    const bool is_apart = (after == living.end() || after->first >= end) &&
                          (after == living.begin() || std::prev(after)->second <= start);
    living.emplace_hint(after, start, end);
    return is_apart;
}

}  // namespace

bool is_valid(const Timeline& timeline, const Placement& placement) {
    Living living;
    for (const uint32_t event : timeline.events) {
        const uint32_t request = event / 2;
        const int64_t start = placement.offset[request];
        const int64_t end = start + int64_t{timeline.granules[request]} * 16;
        if (event % 2 != 0) {
            living.erase(start);
        } else if (start < 0 || end > static_cast<int64_t>(placement.arena_bytes) ||
                   !begin(living, start, end)) {
            return false;
        }
    }
    return true;
}

Placement place_in_order(const Timeline& timeline, std::span<const uint32_t> order, const PackingRule& rule) {
    const Needs needs = needs_of(timeline, rule);
    Pieces naming(timeline, needs, rule);
    for (const uint32_t request : order) {
        naming.name(request);
    }
    const std::vector<Piece> pieces = std::move(naming).complete();
    std::vector<uint32_t> starts(timeline.generation.size(), Sweep::no_place);
    const uint64_t after = Side(timeline, needs, pieces, starts).forward();
    const uint64_t before = Side(timeline, needs, pieces, starts).backward();

    Placement placement{std::vector<int64_t>(starts.size(), -1), std::max(after, before) * 16};
    for (size_t request = 0; request < starts.size(); ++request) {
        if (starts[request] != Sweep::no_place) {
            placement.offset[request] = int64_t{starts[request]} * 16;
        }
    }
    MALLOOM_CHECK_FULL(is_valid(timeline, placement));
    return placement;
}

}  // namespace malloom::native
