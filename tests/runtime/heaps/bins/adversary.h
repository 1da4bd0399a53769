// Sequences of calls that try to make a heap do its worst, and the search for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "include/malloom/bins.h"

namespace malloom::tests {

/// What may live at once, with the request that is made.
struct Limits {
    size_t objects;
    size_t bytes;
    size_t largest;
};

enum class CallKind : uint8_t { alloc, free, realloc, aligned, free_later };

/// One call, as numbers that a search can change: `which` chooses among living objects, mostly new ones,
/// `size` among sizes, mostly the least and the largest; `more` granules are added, or taken from the
/// largest.
struct Move {
    CallKind kind;
    uint8_t which;
    uint8_t size;
    uint8_t more;
};
using Sequence = std::vector<Move>;

/// Plays sequences within limits on a heap. `Watch` has before() and after(kind, bytes that may
/// have been copied) for each call.
template <class Watch>
class Player {
  public:
    Player(malloom_bins& heap, Limits limits, Watch& watch) : heap_(heap), limits_(limits), watch_(watch) {
        for (unsigned bin = 0; bin < heap.bins && heap.begins[bin] < limits.largest; ++bin) {
            sizes_.push_back(heap.begins[bin]);
        }
    }

    /// How many requests within the limits got nothing.
    size_t play(const Sequence& sequence, unsigned times) {
        for (unsigned time = 0; time < times; ++time) {
            for (const Move& move : sequence) {
                make(move);
            }
        }
        return failures_;
    }

  private:
    struct Object {
        void* at;
        size_t bytes;
    };

    void make(const Move& move) {
        switch (move.kind) {
            case CallKind::alloc:
                return alloc(size_of(move));
            case CallKind::aligned:
                return aligned(size_t{16} << move.which % 5, size_of(move));
            case CallKind::realloc:
                return resize(move);
            default:
                return give_back(move);
        }
    }

    size_t size_of(const Move& move) const {
        const size_t more = move.more % 8 * heap_.granule;
        if (move.size < 64) {
            return std::min(more, limits_.largest);
        }
        if (move.size < 128) {
            return limits_.largest - std::min(more, limits_.largest);
        }
        return std::min(sizes_[move.size % sizes_.size()] + more, limits_.largest);
    }

    size_t chosen(const Move& move) const {
        const size_t back = move.which < 192 ? move.which % 4 : move.which;
        return living_.size() - 1 - back % living_.size();
    }

    /// Whether so many bytes more may live. What was freed later does until nobody can tell.
    bool may_live(size_t bytes) const {
        return living_.size() + later_ < limits_.objects && bytes_ + bytes <= limits_.bytes;
    }

    void alloc(size_t bytes) {
        if (may_live(bytes)) {
            keep(call(CallKind::alloc, [&] { return malloom_bins_alloc(&heap_, bytes); }), bytes);
        }
    }

    void aligned(size_t alignment, size_t bytes) {
        const size_t counts_as = bytes + alignment + 8 * sizeof(void*) + 2 * heap_.granule;
        if (counts_as <= limits_.largest && may_live(bytes)) {
            keep(call(CallKind::aligned, [&] { return malloom_bins_aligned(&heap_, alignment, bytes); }),
                 bytes);
        }
    }

    void resize(const Move& move) {
        const size_t bytes = size_of(move);
        if (living_.empty() || !may_live(bytes)) {
            return;
        }
        Object& object = living_[chosen(move)];
        void* moved = call(
            CallKind::realloc, [&] { return malloom_bins_realloc(&heap_, object.at, bytes); }, object.bytes);
        if (moved == nullptr) {
            ++failures_;
            return;
        }
        bytes_ += bytes - object.bytes;
        object = {moved, bytes};
    }

    void give_back(const Move& move) {
        if (living_.empty()) {
            return;
        }
        const size_t place = chosen(move);
        const Object object = living_[place];
        living_.erase(living_.begin() + static_cast<long>(place));
        if (move.kind == CallKind::free_later) {
            // Its bytes count to the end.
            ++later_;
            malloom_bins_free_later(&heap_, object.at);
            return;
        }
        bytes_ -= object.bytes;
        call(CallKind::free, [&] {
            malloom_bins_free(&heap_, object.at);
            return nullptr;
        });
    }

    template <class Call>
    void* call(CallKind kind, Call made, size_t copied = 0) {
        watch_.before();
        void* result = made();
        watch_.after(kind, copied);
        return result;
    }

    void keep(void* object, size_t bytes) {
        if (object == nullptr) {
            ++failures_;
            return;
        }
        living_.push_back({object, bytes});
        bytes_ += bytes;
    }

    malloom_bins& heap_;
    Limits limits_;
    Watch& watch_;
    std::vector<size_t> sizes_;
    std::vector<Object> living_;
    size_t bytes_ = 0, later_ = 0, failures_ = 0;
};

/// Changes a sequence, and keeps what is no better for the heap: an evolution with one parent and one child.
/// Always the same for the same seed.
class Search {
  public:
    Search(unsigned seed, size_t length, std::vector<CallKind> kinds)
        : random_(seed), kinds_(std::move(kinds)), best_(length) {
        for (Move& move : best_) {
            move = any();
        }
    }

    /// `badness(sequence)` is a number, the larger the worse for the heap. Gives the largest.
    template <class Badness>
    double run(unsigned rounds, Badness badness) {
        double worst = badness(best_);
        for (unsigned round = 0; round < rounds; ++round) {
            const Sequence child = changed();
            if (const double found = badness(child); found >= worst) {
                worst = found;
                best_ = child;
            }
        }
        return worst;
    }

  private:
    Move any() {
        const uint32_t bits = static_cast<uint32_t>(random_());
        return {kinds_[random_() % kinds_.size()], static_cast<uint8_t>(bits),
                static_cast<uint8_t>(bits >> 8), static_cast<uint8_t>(bits >> 16)};
    }

    /// With a few moves that are others, or with a piece of it once more in another place.
    Sequence changed() {
        Sequence child = best_;
        if (random_() % 4 == 0) {
            const size_t length = 1 + random_() % (child.size() / 4),
                         from = random_() % (child.size() - length), to = random_() % (child.size() - length);
            std::copy_n(best_.begin() + static_cast<long>(from), length,
                        child.begin() + static_cast<long>(to));
        }
        for (size_t changes = 1 + random_() % 4; changes-- != 0;) {
            child[random_() % child.size()] = any();
        }
        return child;
    }

    std::mt19937 random_;
    std::vector<CallKind> kinds_;
    Sequence best_;
};

}  // namespace malloom::tests
