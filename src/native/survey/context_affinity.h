// Which contexts' objects are used together (HALO: Savage and Jones, CGO 2020, section 4.1).
#pragma once

#include <stdint.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "src/native/accesses/source.h"
#include "src/native/survey/affinity.h"

namespace malloom::native {

/// Two objects are used together where less than `distance` bytes are accessed between them; each such pair
/// adds one to the edge between their contexts, in both directions. An edge from a context to itself says
/// that its objects are used together with each other. Consecutive accesses of one object are one.
class ContextAffinity {
  public:
    /// `context_of_request` must outlive it; its values are below `contexts`. `distance` in bytes.
    ContextAffinity(std::span<const uint32_t> context_of_request, size_t contexts, uint64_t distance)
        : context_of_request_(context_of_request),
          distance_(distance),
          newest_(context_of_request.size()),
          uses_(contexts),
          builder_(contexts, edges_per_context) {}

    void add(const ResolvedAccess& access);
    CompressedGraph compress() { return builder_.compress(); }
    /// How often each context's objects were accessed.
    std::vector<uint64_t> take_uses() { return std::move(uses_); }

  private:
    static constexpr unsigned edges_per_context = 64;
    /// Entries that are looked back at, however few bytes were accessed.
    static constexpr uint32_t window = 64;

    struct Recent {
        uint32_t request;
        uint64_t bytes;
    };

    void add_edges(uint32_t request);
    Recent& entry(uint32_t number) { return recent_[number % window]; }

    std::span<const uint32_t> context_of_request_;
    uint64_t distance_;
    /// Of every request the number of its newest entry plus one; it may have wrapped, which matters little.
    std::vector<uint32_t> newest_;
    std::vector<uint64_t> uses_;
    AffinityBuilder builder_;
    std::array<Recent, window> recent_{};
    uint32_t count_ = 0;
};

}  // namespace malloom::native
