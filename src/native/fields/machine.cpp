#include "src/native/fields/machine.h"

#include <stdexcept>

namespace malloom::native {

namespace {

template <class Replacement>
class MachineUnder final : public Machine {
  public:
    explicit MachineUnder(const Geometry& geometry) : hierarchy_(geometry) {}

    AccessMisses access(uint64_t address, unsigned bytes, uint32_t weight) override {
        return hierarchy_.access(address, bytes, weight);
    }
    void assume_all_used() override { hierarchy_.assume_all_used(); }

  private:
    Hierarchy<Replacement> hierarchy_;
};

}  // namespace

std::unique_ptr<Machine> make_machine(const Geometry& geometry, const std::string& replacement) {
    if (geometry.caches.empty()) throw std::invalid_argument("a geometry needs at least one cache");
    if (replacement == "lru") return std::make_unique<MachineUnder<LeastRecentlyUsed>>(geometry);
    if (replacement == "tree-plru") return std::make_unique<MachineUnder<TreePseudoLru>>(geometry);
    if (replacement == "random") return std::make_unique<MachineUnder<RandomReplacement>>(geometry);
    throw std::invalid_argument("replacement is lru, tree-plru or random");
}

}  // namespace malloom::native
