// The page heap twice, given the same requests: one searches its bitmaps in memory, the other one has the
// simulated unit search them. Both have to put each object at the same place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <Vchunk_unit.h>
#include "hardware/cosim/simulated_unit.h"
#include "hardware/model/request.h"
#include "runtime/heaps/pages/page_heap.h"
#include "runtime/structures/freestanding/unit_search.h"

namespace malloom::hardware {

/// What the heap's custom instructions reach, in the place of a core: one unit, a request a cycle.
class SimulatedInstructions {
  public:
    template <structures::UnitRequest request>
    static uint32_t ask(uint32_t class_and_word, uint32_t data) {
        constexpr auto opcode = static_cast<uint8_t>(request);
        ++asked_[opcode];
        return unit().answer_at_once(
            {opcode, static_cast<uint8_t>(class_and_word), class_and_word >> 8, data});
    }

    static uint64_t asked(Opcode opcode) { return asked_[opcode]; }
    static uint64_t cycles() { return unit().cycles(); }

  private:
    static SimulatedUnit<Vchunk_unit>& unit() {
        static SimulatedUnit<Vchunk_unit> the_unit;
        return the_unit;
    }

    inline static uint64_t asked_[first_unknown_opcode] = {};
};

class PairedHeaps {
  public:
    /// Each over so many bytes of addresses, whose memory comes as it is used.
    explicit PairedHeaps(size_t bytes);
    ~PairedHeaps();
    PairedHeaps(const PairedHeaps&) = delete;
    PairedHeaps& operator=(const PairedHeaps&) = delete;

    /// The place of an object: its distance from the begin of either memory.
    size_t allocate(size_t bytes);
    void release(size_t place);

    /// What differed, or went wrong otherwise; empty where nothing did. Nothing is done any more after that.
    const std::string& problem() const { return problem_; }
    /// Whether lists, bitmaps and counts of both are right; the unit's bitmaps are looked at through it.
    void check_validity();

  private:
    template <class Search>
    struct Side {
        heaps::pages::PageHeap<Search> heap;
        heaps::pages::Region* region = nullptr;
    };

    void say(const std::string& problem);
    template <class Search>
    void release_from(Side<Search>& side, size_t place);

    size_t bytes_;
    Side<structures::SearchInMemory<structures::LinearSearch<>>> in_memory_;
    Side<structures::SearchInUnit<SimulatedInstructions>> in_unit_;
    std::string problem_;
};

}  // namespace malloom::hardware
