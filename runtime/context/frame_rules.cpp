#include "runtime/context/frame_rules.h"

#include "runtime/context/loaded_object.h"
#include "runtime/context/modules.h"

namespace malloom::context {

constinit FrameRules frame_rules;

// An address beyond the user's half has bits above the tag's and so never matches: it is no rule, and nothing
// is kept.
Frame FrameRules::find_slow(uintptr_t return_address) {
    if (return_address >> user_address_bits != 0) {
        return {FrameRule::end(), return_address};
    }
    size_t place = first_place(return_address);
    for (unsigned way = 0; way < 1U << way_bits; ++way, place = next_way(place)) {
        const uint64_t rule = places_[place].rule.load(std::memory_order_acquire);
        if (FrameRule::tag(rule) == tag_of(return_address)) {
            return {rule, places_[place].function.load(std::memory_order_relaxed)};
        }
    }
    return learn(return_address);
}

Frame FrameRules::learn(uintptr_t return_address) {
    LoadedObject object;
    FrameDescription described;
    if (find_loaded_object(return_address, object)) {
        register_module(object);
        forget_replaced();
        if (object.unwind.header != 0) {
            described = describe_frame(object.unwind, return_address);
        }
    }
    const Frame frame{described.rule | tag_of(return_address) << FrameRule::tag_shift,
                      described.function != 0 ? described.function : return_address};
    keep(return_address, frame);
    return frame;
}

// The lock keeps the halves of two entries apart. A signal handler that interrupted its holder keeps nothing.
void FrameRules::keep(uintptr_t return_address, const Frame& frame) {
    if (!lock_.acquire()) {
        return;
    }
    Place& place = place_for(return_address);
    place.rule.store(0, std::memory_order_relaxed);
    place.function.store(frame.function, std::memory_order_release);
    place.rule.store(frame.rule, std::memory_order_release);
    lock_.release();
}

// A free place among the four, else one that is then lost.
FrameRules::Place& FrameRules::place_for(uintptr_t return_address) {
    size_t place = first_place(return_address);
    for (unsigned way = 0; way < 1U << way_bits && places_[place].rule.load(std::memory_order_relaxed) != 0;
         ++way) {
        place = next_way(place);
    }
    return places_[place];
}

// Until a miss tells us, a rule of an unloaded object may be used where another one has a call at the very
// same address; the walk is then wrong, and safe.
void FrameRules::forget_replaced() {
    const uint32_t now = module_replacements();
    if (replacements_seen_.exchange(now, std::memory_order_relaxed) == now) {
        return;
    }
    for (Place& place : places_) {
        place.rule.store(0, std::memory_order_relaxed);
    }
}

}  // namespace malloom::context
