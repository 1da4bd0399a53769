// A hardware prefetcher of eight streams beside two caches, as POWER4's: how many streams it begins, and how
// many lines it prefetches into either cache.
//
// After Tendler et al., POWER4 system microarchitecture (IBM J. Res. Dev. 46(1), 2002), and Sinharoy et al.,
// POWER5 system microarchitecture (IBM J. Res. Dev. 49(4/5), 2005); Curial et al. (MPADS, ISMM 2008, 3.5)
// count such streams and prefetches. Misses of the first cache on two consecutive lines begin a stream,
// upwards or downwards. Each use of the line that a stream expects next brings the line after it into the
// first cache and the fifth after it into the second. A stream ends with its page; where all eight are taken,
// the least recently used one gives way. A prefetch counts where the cache lacks the line.
//
// Simplified: how many lone misses are remembered is no published number; lines arrive at once; a stream runs
// its five lines ahead from its begin, without the ramp; the third level's own prefetches are left out.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <array>
#include <bit>

#include "src/native/simulation/cache.h"

namespace malloom::native {

struct PrefetchCounts {
    uint64_t streams = 0;       ///< begun
    uint64_t first_level = 0;   ///< lines prefetched into the first cache
    uint64_t second_level = 0;  ///< lines prefetched from beyond into the second
};

class PrefetchEngine {
  public:
    static constexpr size_t most_streams = 8;
    static constexpr size_t remembered_misses = 16;
    static constexpr int second_level_distance = 5;  ///< lines
    static constexpr unsigned page_shift = 12;

    /// Both caches have the same lines, of at most a page.
    PrefetchEngine(const CacheShape& first, const CacheShape& second)
        : first_(first),
          second_(second),
          line_shift_(static_cast<unsigned>(std::countr_zero(first.line_bytes))) {
        if (first.line_bytes != second.line_bytes || line_shift_ > page_shift) {
            throw std::invalid_argument("the prefetcher's caches need lines of one size, at most a page");
        }
    }

    /// One load or store; addresses are below 2^32 lines.
    void access(uint64_t address, unsigned bytes) {
        const int64_t last = line_of(address + bytes - 1);
        for (int64_t line = line_of(address); line <= last; ++line) {
            use(line);
        }
    }

    PrefetchCounts counts;

  private:
    static constexpr int64_t no_line = INT64_MIN / 2;

    struct Stream {
        int64_t next = no_line;  ///< the line that is expected
        int direction = 0;
        uint64_t used = 0;
    };

    int64_t line_of(uint64_t address) const { return static_cast<int64_t>(address >> line_shift_); }

    bool share_page(int64_t one, int64_t other) const {
        return one >> (page_shift - line_shift_) == other >> (page_shift - line_shift_);
    }

    /// Whether the cache had the line; it has it from now on.
    bool takes(Cache<LeastRecentlyUsed>& cache, int64_t line) const {
        return cache.reference(static_cast<uint64_t>(line) << line_shift_, 1) == Missed::none;
    }

    void use(int64_t line) {
        if (line == latest_) {
            return;
        }
        latest_ = line;
        const bool hit = takes(first_, line);
        if (!hit) {
            takes(second_, line);
        }
        const auto stream = std::ranges::find(streams_, line, &Stream::next);
        if (stream != streams_.end()) {
            follow(*stream, line, second_level_distance);
        } else if (!hit) {
            note_miss(line);
        }
    }

    /// Prefetches what the stream wants when `line` is used, in its page: one line into the first cache, and
    /// into the second those from the distance on that it has not yet asked for.
    void follow(Stream& stream, int64_t line, int from) {
        stream.used = ++time_;
        stream.next = line + stream.direction;
        if (!share_page(line, stream.next)) {
            stream.next = no_line;
            return;
        }
        for (int distance = from; distance <= second_level_distance; ++distance) {
            fetch_second(line, line + distance * stream.direction);
        }
        if (!takes(first_, stream.next)) {
            ++counts.first_level;
            fetch_second(line, stream.next);
        }
    }

    void fetch_second(int64_t line, int64_t wanted) {
        if (share_page(line, wanted) && !takes(second_, wanted)) {
            ++counts.second_level;
        }
    }

    void note_miss(int64_t line) {
        for (int64_t& miss : misses_) {
            if (line - miss == 1 || miss - line == 1) {
                begin(line, static_cast<int>(line - miss));
                miss = no_line;
                return;
            }
        }
        misses_[oldest_miss_] = line;
        oldest_miss_ = (oldest_miss_ + 1) % remembered_misses;
    }

    void begin(int64_t line, int direction) {
        ++counts.streams;
        Stream& stream = *std::ranges::min_element(streams_, {}, &Stream::used);
        stream.direction = direction;
        follow(stream, line, 1);
    }

    static std::array<int64_t, remembered_misses> no_misses() {
        std::array<int64_t, remembered_misses> none;
        none.fill(no_line);
        return none;
    }

    Cache<LeastRecentlyUsed> first_;
    Cache<LeastRecentlyUsed> second_;
    unsigned line_shift_;
    int64_t latest_ = no_line;
    uint64_t time_ = 0;
    std::array<Stream, most_streams> streams_{};
    std::array<int64_t, remembered_misses> misses_ = no_misses();
    size_t oldest_miss_ = 0;
};

}  // namespace malloom::native
