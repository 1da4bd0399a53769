#include "src/native/packing/timeline.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <stdexcept>
#include <utility>

namespace malloom::native {

namespace {

constexpr uint64_t never = UINT64_MAX;
constexpr uint64_t heaviest = 1024;   // accesses: one busy request must not make the moment alone
constexpr uint64_t least_share = 64;  // a generation has at least 1/64 of the first one's weight

std::vector<std::pair<uint64_t, uint32_t>> deaths_in_order(const PackedRequests& requests,
                                                           uint64_t maximum_bytes) {
    std::vector<std::pair<uint64_t, uint32_t>> deaths;
    for (uint32_t request = 0; request < requests.death.size(); ++request) {
        if (requests.death[request] != never && requests.size[request] <= maximum_bytes) {
            deaths.emplace_back(requests.death[request], request);
        }
    }
    std::sort(deaths.begin(), deaths.end());
    return deaths;
}

std::vector<uint32_t> events_in_order(const PackedRequests& requests, uint64_t maximum_bytes) {
    const auto deaths = deaths_in_order(requests, maximum_bytes);
    std::vector<uint32_t> events;
    events.reserve(requests.birth.size() + deaths.size());
    auto death = deaths.begin();
    for (uint32_t request = 0; request < requests.birth.size(); ++request) {
        for (; death != deaths.end() && death->first < requests.birth[request]; ++death) {
            events.push_back(2 * death->second + 1);
        }
        if (requests.size[request] <= maximum_bytes) {
            events.push_back(2 * request);
        }
    }
    for (; death != deaths.end(); ++death) {
        events.push_back(2 * death->second + 1);
    }
    return events;
}

std::vector<bool> adjacent_of(const PackedRequests& requests, const std::vector<uint32_t>& events) {
    std::vector<bool> adjacent(events.size());
    for (size_t at = 1; at < events.size(); ++at) {
        const bool is_pair = events[at] % 2 == 0 && events[at - 1] % 2 != 0;
        adjacent[at] = is_pair && requests.birth[events[at] / 2] == requests.death[events[at - 1] / 2] + 1;
    }
    return adjacent;
}

/// Finds generations one by one.
class GenerationFinder {
  public:
    GenerationFinder(Timeline& timeline, const PackedRequests& requests)
        : timeline_(timeline),
          requests_(requests),
          died_at_(requests.birth.size(), static_cast<uint32_t>(timeline.events.size())),
          born_at_(requests.birth.size()),
          by_bytes_(std::all_of(requests.accesses.begin(), requests.accesses.end(),
                                [](uint64_t count) { return count == 0; })) {
        for (uint32_t at = 0; at < timeline.events.size(); ++at) {
            (is_death(at) ? died_at_ : born_at_)[request_at(at)] = at;
        }
    }

    void find(unsigned most) {
        std::priority_queue<Span> spans;
        spans.push(measured(0, static_cast<uint32_t>(timeline_.events.size()) + 1));
        const uint64_t least = std::max<uint64_t>(spans.top().weight / least_share, 1);
        while (!spans.empty() && timeline_.generations < most && spans.top().weight >= least) {
            const Span span = spans.top();
            spans.pop();
            if (timeline_.generations == 0) {
                timeline_.pivot = span.moment;
            }
            settle(span);
            spans.push(measured(span.begin, span.moment));
            spans.push(measured(span.moment, span.end));
        }
    }

  private:
    /// A stretch of the events: its heaviest moment lies before the event of that number.
    struct Span {
        uint32_t begin;
        uint32_t end;
        uint32_t moment;
        uint64_t weight;
        bool operator<(const Span& other) const { return weight < other.weight; }
    };

    uint32_t request_at(uint32_t at) const { return timeline_.events[at] / 2; }
    bool is_death(uint32_t at) const { return timeline_.events[at] % 2 != 0; }

    uint64_t weight(uint32_t request) const {
        return by_bytes_ ? timeline_.granules[request] : std::min(requests_.accesses[request], heaviest);
    }

    /// Whether it still is in no generation and lives within the stretch alone.
    bool belongs(uint32_t request, uint32_t begin, uint32_t end) const {
        return timeline_.generation[request] == Timeline::passing && born_at_[request] >= begin &&
               died_at_[request] < end;
    }

    Span measured(uint32_t begin, uint32_t end) const {
        Span span{begin, end, begin, 0};
        uint64_t live = 0;
        const auto last = std::min(end, static_cast<uint32_t>(timeline_.events.size()));
        for (uint32_t at = begin; at < last; ++at) {
            const uint32_t request = request_at(at);
            if (!belongs(request, begin, end)) {
                continue;
            }
            live += is_death(at) ? -weight(request) : weight(request);
            if (live > span.weight) {
                span.weight = live;
                span.moment = at + 1;
            }
        }
        return span;
    }

    void settle(const Span& span) {
        for (uint32_t at = span.begin; at < span.moment; ++at) {
            const uint32_t request = request_at(at);
            if (!is_death(at) && belongs(request, span.begin, span.end) && died_at_[request] >= span.moment) {
                timeline_.generation[request] = timeline_.generations;
            }
        }
        ++timeline_.generations;
    }

    Timeline& timeline_;
    const PackedRequests& requests_;
    std::vector<uint32_t> died_at_;  ///< events before its death; the number of events: never
    std::vector<uint32_t> born_at_;
    bool by_bytes_;
};

void check(const PackedRequests& requests, uint64_t maximum_bytes, unsigned most) {
    const size_t count = requests.birth.size();
    for (const size_t length :
         {requests.death.size(), requests.size.size(), requests.alignment.size(), requests.accesses.size()}) {
        if (length != count) {
            throw std::invalid_argument("the requests' columns differ in length");
        }
    }
    if (count >= (uint64_t{1} << 31) || maximum_bytes > (uint64_t{1} << 30) || most > 32) {
        throw std::invalid_argument("too many requests, places above 1 GiB, or too many generations");
    }
    if (!std::is_sorted(requests.birth.begin(), requests.birth.end())) {
        throw std::invalid_argument("requests are not in time order");
    }
    for (size_t request = 0; request < count; ++request) {
        if (requests.death[request] <= requests.birth[request]) {
            throw std::invalid_argument("a request dies before it is born");
        }
    }
    const auto odd = [](uint32_t alignment) { return alignment != 0 && !std::has_single_bit(alignment); };
    if (std::any_of(requests.alignment.begin(), requests.alignment.end(), odd)) {
        throw std::invalid_argument("an alignment is no power of two");
    }
}

}  // namespace

Timeline form_timeline(const PackedRequests& requests, uint64_t maximum_bytes, unsigned most) {
    check(requests, maximum_bytes, most);
    Timeline timeline;
    timeline.events = events_in_order(requests, maximum_bytes);
    timeline.adjacent = adjacent_of(requests, timeline.events);
    for (size_t request = 0; request < requests.size.size(); ++request) {
        const bool is_placed = requests.size[request] <= maximum_bytes;
        timeline.generation.push_back(is_placed ? Timeline::passing : Timeline::unplaced);
        timeline.granules.push_back(is_placed ? static_cast<uint32_t>(granules_of(requests.size[request]))
                                              : 0);
        timeline.alignment.push_back(std::max(requests.alignment[request] / 16, 1U));
    }
    GenerationFinder(timeline, requests).find(most);
    return timeline;
}

}  // namespace malloom::native
