// Which contexts' objects are used together (HALO: Savage and Jones, CGO 2020, section 4.1).
#pragma once

#include <stdint.h>

#include <array>
#include <span>

#include "src/native/access_source.h"
#include "src/native/affinity_builder.h"

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
          builder_(contexts, edges_per_context) {}

    void add(const ResolvedAccess& access);
    CompressedGraph compress() { return builder_.compress(); }

  private:
    static constexpr unsigned edges_per_context = 64;
    /// Objects that are looked back at, however few bytes were accessed.
    static constexpr size_t window = 64;

    struct Recent {
        uint32_t request;
        uint64_t bytes;
    };

    void add_edges(uint32_t request);
    bool newer_has(size_t age, uint32_t request) const;
    const Recent& recent(size_t age) const { return recent_[(count_ - 1 - age) % window]; }

    std::span<const uint32_t> context_of_request_;
    uint64_t distance_;
    AffinityBuilder builder_;
    std::array<Recent, window> recent_{};
    uint64_t count_ = 0;
};

}  // namespace malloom::native
