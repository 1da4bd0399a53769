#include "runtime/context/companion_monitor.h"

#include "checks/check.h"

namespace malloom::context {

namespace {

// Of a larger object only the beginning is searched.
constexpr size_t searched_bytes = 256;
constexpr size_t absent = SIZE_MAX;

// Of the samples.
constexpr uint32_t fewest = CompanionMonitor::samples / 2;

// Not checked by sanitizers: the program owns the object, and may be writing it.
__attribute__((no_sanitize("address", "thread", "undefined"))) uintptr_t word_at(uintptr_t address) {
    return *reinterpret_cast<const volatile uintptr_t*>(address);
}
__attribute__((no_sanitize("address", "thread", "undefined"))) size_t offset_of_pointer(uintptr_t object,
                                                                                        size_t bytes,
                                                                                        uintptr_t target) {
    const auto* words = reinterpret_cast<const volatile uintptr_t*>(object);
    const size_t count = (bytes < searched_bytes ? bytes : searched_bytes) / sizeof(uintptr_t);
    for (size_t i = 0; i < count; ++i) {
        if (words[i] == target) {
            return i * sizeof(uintptr_t);
        }
    }
    return absent;
}

}  // namespace

bool CompanionMonitor::is_valid() const noexcept {
    constexpr uint32_t rows = sizeof pauses / sizeof *pauses;
    bool is_whole = requests_ <= samples + 1 && rows_ <= rows && paused_ <= pauses[rows - 1];
    for (uint32_t place = 0; is_whole && place < CallerState::places; ++place) {
        is_whole = agreeing_[place] <= requests_ && elder_[place] <= requests_ &&
                   changes_[place] <= requests_ && offsets_[place] < searched_bytes &&
                   offsets_[place] % sizeof(uintptr_t) == 0;
    }
    return is_whole;
}

bool CompanionMonitor::observe(const CallerState& caller, const void* object, const Objects& objects) {
    MALLOOM_CHECK_FULL(is_valid());
    if (is_done() || paused_ != 0) {
        paused_ -= paused_ != 0;
        return !is_done();
    }
    judge_last(objects);
    const uint32_t places = caller.readable_places();
    for (uint32_t place = 0; place < CallerState::places; ++place) {
        const uintptr_t word = place < places ? caller.word(place) : 0;
        changes_[place] += word != words_[place] && word != object_;
        elder_[place] += has_elder(place, word, object, objects);
        words_[place] = word;
    }
    object_ = reinterpret_cast<uintptr_t>(object);
    ++requests_;
    return !is_done() || looks_again();
}

bool CompanionMonitor::is_companion(uint32_t place) const {
    return agreeing_[place] > fewest && changes_[place] > fewest;
}

// Only the time was too early.
bool CompanionMonitor::looks_again() {
    bool has_companion = false;
    for (uint32_t place = 0; place < CallerState::places; ++place) {
        has_companion = has_companion || is_companion(place);
    }
    if (!has_companion || place() != nowhere || rows_ == sizeof pauses / sizeof *pauses) {
        return false;
    }
    const uint32_t rows = rows_;
    *this = {};
    paused_ = pauses[rows];
    rows_ = rows + 1;
    return true;
}

// Whether the word's object points to one like the new one where it will point to that.
bool CompanionMonitor::has_elder(uint32_t place, uintptr_t word, const void* object,
                                 const Objects& objects) const {
    const size_t end = offsets_[place] + sizeof(uintptr_t);
    if (agreeing_[place] == 0 || objects.bytes_at(objects.heap, word) < end) {
        return false;
    }
    const size_t bytes = objects.bytes_at(objects.heap, reinterpret_cast<uintptr_t>(object));
    return bytes != 0 && objects.bytes_at(objects.heap, word_at(word + offsets_[place])) == bytes;
}

// By now the program has linked what the last request got.
void CompanionMonitor::judge_last(const Objects& objects) {
    for (uint32_t place = 0; object_ != 0 && place < CallerState::places; ++place) {
        const uintptr_t word = words_[place];
        const size_t bytes = word == object_ ? 0 : objects.bytes_at(objects.heap, word);
        const size_t offset = bytes == 0 ? absent : offset_of_pointer(word, bytes, object_);
        if (offset != absent) {
            agreeing_[place] = offset == offsets_[place] ? agreeing_[place] + 1 : 1;
            offsets_[place] = static_cast<uint32_t>(offset);
        }
    }
}

// Registers come first: reading one costs least.
uint32_t CompanionMonitor::place() const {
    uint32_t best = nowhere;
    for (uint32_t place = 0; place < CallerState::places; ++place) {
        const bool is_worth_it = is_companion(place) && elder_[place] > fewest;
        if (is_worth_it && (best == nowhere || agreeing_[place] > agreeing_[best])) {
            best = place;
        }
    }
    return best;
}

}  // namespace malloom::context
