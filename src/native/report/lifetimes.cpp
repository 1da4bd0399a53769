#include "src/native/report/lifetimes.h"

#include <algorithm>

#include "src/native/accesses/source.h"

namespace malloom::native {

namespace {

/// The requests whose objects were released, in the order of their deaths.
std::vector<uint32_t> by_death(const Lives& lives) {
    std::vector<uint32_t> order;
    for (uint32_t request = 0; request < lives.death.size(); ++request) {
        if (lives.death[request] != never) order.push_back(request);
    }
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return lives.death[a] < lives.death[b]; });
    return order;
}

}  // namespace

std::vector<uint64_t> live_peaks(const Lives& lives, size_t contexts) {
    std::vector<uint64_t> live(contexts + 1), peak(contexts + 1);
    const std::vector<uint32_t> deaths = by_death(lives);
    auto death = deaths.begin();
    for (size_t request = 0; request < lives.birth.size(); ++request) {
        for (; death != deaths.end() && lives.death[*death] <= lives.birth[request]; ++death) {
            live[lives.context[*death]] -= lives.size[*death];
            live[contexts] -= lives.size[*death];
        }
        for (const size_t counter : {size_t{lives.context[request]}, contexts}) {
            live[counter] += lives.size[request];
            peak[counter] = std::max(peak[counter], live[counter]);
        }
    }
    return peak;
}

std::vector<uint64_t> median_lifetimes(const Lives& lives, size_t contexts) {
    std::vector<uint64_t> starts(contexts + 1), medians(contexts, never);
    for (size_t i = 0; i < lives.death.size(); ++i) starts[lives.context[i] + 1] += lives.death[i] != never;
    for (size_t i = 0; i < contexts; ++i) starts[i + 1] += starts[i];
    std::vector<uint64_t> lifetimes(starts[contexts]), next(starts.begin(), starts.end() - 1);
    for (size_t i = 0; i < lives.death.size(); ++i) {
        if (lives.death[i] != never) lifetimes[next[lives.context[i]]++] = lives.death[i] - lives.birth[i];
    }
    for (size_t i = 0; i < contexts; ++i) {
        if (starts[i] == starts[i + 1]) continue;
        const auto begin = lifetimes.begin() + static_cast<ptrdiff_t>(starts[i]);
        const auto end = lifetimes.begin() + static_cast<ptrdiff_t>(starts[i + 1]);
        const auto middle = begin + (end - begin) / 2;
        std::nth_element(begin, middle, end);
        medians[i] = *middle;
    }
    return medians;
}

}  // namespace malloom::native
