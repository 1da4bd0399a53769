// Visits: which fields of one object are used while its line is at hand (formats/fields.def).
#pragma once

#include <stdint.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace malloom::native {

/// The visits that go on. A visit ends when as many lines have come into the first level since its latest
/// access as that level has. Memory is bounded by the cache: an object with a visit lies in a line that is or
/// was just in it.
class Visits {
  public:
    explicit Visits(uint64_t lines) : lines_(std::max<uint64_t>(lines, 1)) {}

    /// An access to a request's object after so many misses of the first level; `fields` is its fields' bits.
    /// Visits that have ended go to `close(request, bits)`.
    template <class Close>
    void use(uint32_t request, uint64_t fields, uint64_t misses, Close&& close) {
        if (latest_ != nullptr && latest_request_ == request && misses - latest_->misses < lines_) {
            latest_->fields |= fields;
            latest_->misses = misses;
            return;
        }
        if (visits_.size() >= room_) sweep(misses, close);
        const auto [found, is_new] = visits_.try_emplace(request, Visit{fields, misses});
        Visit& visit = found->second;
        if (!is_new && misses - visit.misses >= lines_) {
            close(request, visit.fields);
            visit.fields = 0;
        }
        visit.fields |= fields;
        visit.misses = misses;
        latest_ = &visit;
        latest_request_ = request;
    }

    template <class Close>
    void close_all(Close&& close) {
        for (const auto& [request, visit] : visits_) close(request, visit.fields);
        visits_.clear();
        latest_ = nullptr;
    }

  private:
    static constexpr size_t least_room = 4096;

    struct Visit {
        uint64_t fields;
        uint64_t misses;  ///< of the first level, before the visit's latest access
    };

    /// Takes out what has ended. So that this is rare, the room is then twice what goes on.
    template <class Close>
    void sweep(uint64_t misses, Close&& close) {
        for (auto each = visits_.begin(); each != visits_.end();) {
            if (misses - each->second.misses >= lines_) {
                close(each->first, each->second.fields);
                each = visits_.erase(each);
            } else {
                ++each;
            }
        }
        room_ = std::max(least_room, visits_.size() * 2);
        latest_ = nullptr;
    }

    uint64_t lines_;
    size_t room_ = least_room;
    std::unordered_map<uint32_t, Visit> visits_;
    Visit* latest_ = nullptr;
    uint32_t latest_request_ = 0;
};

}  // namespace malloom::native
