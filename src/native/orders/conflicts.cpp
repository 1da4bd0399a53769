#include "src/native/orders/conflicts.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace malloom::native {

namespace {

constexpr uint64_t unplaced = UINT64_MAX;
constexpr size_t candidates = 8;
/// Heavier neighbours come first; the others meet too rarely to decide.
constexpr size_t neighbours = 16;

class Placer {
  public:
    Placer(const GraphView& graph, std::span<const uint32_t> granules, const ConflictCache& cache)
        : graph_(graph), granules_(granules), cache_(cache), line_(granules.size(), unplaced) {}

    std::vector<uint32_t> place(std::span<const uint32_t> order) {
        std::vector<uint32_t> placed;
        placed.reserve(order.size());
        std::deque<uint32_t> waiting;
        for (size_t next = 0; next < order.size() || !waiting.empty();) {
            while (next < order.size() && waiting.size() < candidates) {
                waiting.push_back(order[next++]);
            }
            const auto best = least_pressed(waiting);
            placed.push_back(*best);
            line_[*best] = end_ / cache_.line_granules;
            end_ += granules_[*best];
            waiting.erase(best);
        }
        return placed;
    }

  private:
    /// The first of those that conflict least. The head of the queue is taken at once where nothing presses
    /// on it.
    std::deque<uint32_t>::const_iterator least_pressed(const std::deque<uint32_t>& waiting) const {
        auto best = waiting.begin();
        uint64_t least = pressure(*best);
        for (auto each = waiting.begin() + 1; least > 0 && each != waiting.end(); ++each) {
            const uint64_t pressed = pressure(*each);
            if (pressed < least) {
                best = each;
                least = pressed;
            }
        }
        return best;
    }

    /// Weight of the edges to placed neighbours on other lines of the same set, less the heaviest that fit
    /// beside it.
    uint64_t pressure(uint32_t request) const {
        const uint64_t line = end_ / cache_.line_granules;
        const uint64_t begin = graph_.offsets[request];
        const uint64_t end = std::min<uint64_t>(graph_.offsets[request + 1], begin + neighbours);
        if (end - begin < cache_.ways) {
            return 0;  // all its neighbours fit beside it
        }
        uint64_t pressed = 0;
        unsigned rivals = 0;
        for (uint64_t edge = begin; edge < end; ++edge) {
            const uint64_t other = line_[graph_.targets[edge]];
            if (other != unplaced && other != line && other % cache_.sets == line % cache_.sets) {
                pressed += ++rivals >= cache_.ways ? graph_.weights[edge] : 0;
            }
        }
        return pressed;
    }

    const GraphView& graph_;
    std::span<const uint32_t> granules_;
    ConflictCache cache_;
    std::vector<uint64_t> line_;  ///< of every placed request
    uint64_t end_ = 0;
};

}  // namespace

std::vector<uint32_t> avoid_conflicts(const GraphView& graph, std::span<const uint32_t> order,
                                      std::span<const uint32_t> granules, const ConflictCache& cache) {
    if (granules.size() != graph.nodes() || !graph.has(order) || cache.sets == 0 ||
        cache.line_granules == 0) {
        throw std::invalid_argument("order, sizes and graph do not fit together");
    }
    return Placer(graph, granules, cache).place(order);
}

}  // namespace malloom::native
