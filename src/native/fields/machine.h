// The caches of one machine, whatever their replacement, as accesses go through them one by one.
#pragma once

#include <memory>
#include <string>

#include "src/native/simulation/hierarchy.h"

namespace malloom::native {

class Machine {
  public:
    virtual ~Machine() = default;
    virtual AccessMisses access(uint64_t address, unsigned bytes, uint32_t weight) = 0;
    /// As Hierarchy's.
    virtual void assume_all_used() = 0;
};

/// `replacement` is lru, tree-plru or random, else std::invalid_argument.
std::unique_ptr<Machine> make_machine(const Geometry& geometry, const std::string& replacement);

}  // namespace malloom::native
