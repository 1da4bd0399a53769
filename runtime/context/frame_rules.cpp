#include "runtime/context/frame_rules.h"

#include "runtime/context/loaded_object.h"
#include "runtime/context/modules.h"

namespace malloom::context {

constinit FrameRules frame_rules;

// An address beyond the user's half has bits above the tag's and so never matches: it is no rule, and nothing
// is kept.
uint64_t FrameRules::find_elsewhere(uintptr_t return_address) {
    if (return_address >> user_address_bits != 0) {
        return FrameRule::end();
    }
    size_t place = first_place(return_address);
    for (unsigned way = 0; way < 1U << way_bits; ++way, place = next_way(place)) {
        const uint64_t word = words_[place].load(std::memory_order_relaxed);
        if (FrameRule::tag(word) == tag_of(return_address)) {
            return word;
        }
    }
    return learn(return_address);
}

uint64_t FrameRules::learn(uintptr_t return_address) {
    LoadedObject object;
    uint64_t rule = FrameRule::end();
    if (find_loaded_object(return_address, object)) {
        register_module(object);
        forget_replaced();
        if (object.unwind.header != 0) {
            rule = find_frame_rule(object.unwind, return_address);
        }
    }
    const uint64_t word = rule | tag_of(return_address) << FrameRule::tag_shift;
    size_t place = first_place(return_address);
    for (unsigned way = 0; way < 1U << way_bits && words_[place].load(std::memory_order_relaxed) != 0;
         ++way) {
        place = next_way(place);
    }
    words_[place].store(word, std::memory_order_relaxed);
    return word;
}

// Until a miss tells us, a rule of an unloaded object may be used where another one has a call at the very
// same address; the walk is then wrong, and safe.
void FrameRules::forget_replaced() {
    const uint32_t now = module_replacements();
    if (replacements_seen_.exchange(now, std::memory_order_relaxed) == now) {
        return;
    }
    for (auto& word : words_) {
        word.store(0, std::memory_order_relaxed);
    }
}

}  // namespace malloom::context
