// Bytes as a sequence of calls of a bin heap, with a model beside it: what the fuzzer and the random test
// run.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "include/malloom/bins.h"

namespace malloom::tests {

/// Takes numbers from bytes; 0 when they have ended.
class Choices {
  public:
    explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    bool is_over() const { return bytes_.empty(); }
    size_t below(size_t limit) {
        size_t number = 0;
        for (int i = 0; i < 3 && !bytes_.empty(); ++i) {
            number = number << 8 | bytes_[0];
            bytes_ = bytes_.subspan(1);
        }
        return number % limit;
    }

  private:
    std::span<const uint8_t> bytes_;
};

/// A heap under calls that are chosen by bytes. Says what went wrong first; empty where nothing did.
class OperatedHeap {
  public:
    explicit OperatedHeap(Choices choices) : choices_(choices) {}

    std::string run() {
        open();
        for (int step = 0; wrong_.empty() && !choices_.is_over(); ++step) {
            operate();
            if (wrong_.empty() && (step % 16 == 0 || choices_.is_over())) {
                check();
            }
        }
        return wrong_;
    }

  private:
    struct Object {
        size_t bytes;
        unsigned char mark;
    };

    void expect(bool is_so, const char* what) {
        if (!is_so && wrong_.empty()) {
            wrong_ = what;
        }
    }

    void open() {
        constexpr static uint32_t begins[] = {0, 32, 48, 64, 100, 250, 256, 1'000, 4'096, 4'097};
        malloom_bins_settings settings = {};
        settings.alignment = sizeof(void*) << choices_.below(5);
        settings.levels = static_cast<unsigned>(choices_.below(3)) + 1;
        settings.options = static_cast<unsigned>(choices_.below(128));
        if (choices_.below(2) != 0) {
            settings.options &= MALLOOM_BINS_BOUNDED | MALLOOM_BINS_COUNT_STEPS;  // its calls are not general
        } else if ((settings.options & MALLOOM_BINS_BOUNDED) != 0) {
            settings.options &= ~unsigned{MALLOOM_BINS_THOROUGH};
        }
        settings.most_steps = static_cast<unsigned>(choices_.below(5));
        if (choices_.below(2) != 0) {
            settings.bins = static_cast<unsigned>(choices_.below(std::size(begins))) + 1;
            settings.begins = begins;
            settings.most_bins = settings.bins + static_cast<unsigned>(choices_.below(8));
        }
        storage_.resize(MALLOOM_BINS_STORAGE(127, 3) / 8 + 1);
        settings.storage = storage_.data();
        settings.storage_bytes = storage_.size() * 8;
        levels_ = settings.levels;
        alignment_ = settings.alignment;
        expect(malloom_bins_open(&heap_, &settings) == MALLOOM_BINS_OK, "it opens");
        add_region();
        if (choices_.below(2) != 0) {
            rehash_automatically();
        }
        if (choices_.below(2) != 0) {
            open_quick_lists(settings.options);
        }
    }

    void open_quick_lists(unsigned options) {
        constexpr unsigned rare =
            MALLOOM_BINS_CLEAR_ON_FREE | MALLOOM_BINS_CHECKED_LINKS | MALLOOM_BINS_THOROUGH;
        const size_t most_bytes = choices_.below(1'000);
        lists_.resize(MALLOOM_BINS_QUICK_STORAGE(most_bytes, alignment_) / sizeof(uint64_t));
        const malloom_bins_result said =
            malloom_bins_quick_open(&quick_, &heap_, most_bytes, static_cast<unsigned>(choices_.below(5)) + 1,
                                    lists_.data(), lists_.size() * sizeof(uint64_t));
        has_quick_lists_ = said == MALLOOM_BINS_OK;
        expect(has_quick_lists_ == ((options & rare) == 0), "quick lists open in front of what they are for");
    }

    void* alloc(size_t bytes) {
        return has_quick_lists_ ? malloom_bins_quick_alloc(&quick_, bytes)
                                : malloom_bins_alloc(&heap_, bytes);
    }
    void* calloc(size_t count, size_t bytes) {
        return has_quick_lists_ ? malloom_bins_quick_calloc(&quick_, count, bytes)
                                : malloom_bins_calloc(&heap_, count, bytes);
    }
    void* realloc(void* object, size_t bytes) {
        return has_quick_lists_ ? malloom_bins_quick_realloc(&quick_, object, bytes)
                                : malloom_bins_realloc(&heap_, object, bytes);
    }
    malloom_bins_result free(void* object) {
        return has_quick_lists_ ? malloom_bins_quick_free(&quick_, object)
                                : malloom_bins_free(&heap_, object);
    }

    void operate() {
        switch (choices_.below(16)) {
            case 0:
                return choices_.below(2) == 0 ? add_region() : change_bins();
            case 1:
                return remove_region();
            case 2:
                return take_zeroed();
            case 3:
                return take_aligned();
            case 4:
            case 5:
                return resize();
            case 6:
                return free_one(true);
            case 7:
            case 8:
            case 9:
            case 10:
            case 11:
                return free_one(false);
            default: {
                const size_t bytes = choices_.below(choices_.below(4) == 0 ? 20'000 : 400);
                return take(alloc(bytes), bytes);
            }
        }
    }

    void add_region() {
        if (regions_.size() == 8) {
            return;
        }
        const size_t bytes = choices_.below(1 << 15), shift = choices_.below(16);
        auto memory = std::make_unique<unsigned char[]>(bytes + shift + 1);
        const malloom_bins_result said = malloom_bins_add_region(
            &heap_, memory.get() + shift, bytes, static_cast<unsigned>(choices_.below(levels_)));
        expect(said == MALLOOM_BINS_OK || said == MALLOOM_BINS_TOO_SMALL, "a region is taken");
        if (said == MALLOOM_BINS_OK) {
            regions_[memory.get() + shift] = std::move(memory);
        }
    }

    void change_bins() {
        switch (choices_.below(8)) {
            case 0:
                malloom_bins_count(&heap_, static_cast<unsigned>(choices_.below(128)));
                return;
            case 1:
                return rehash_automatically();
            case 2:
                malloom_bins_count_one_in(&heap_, 1U << choices_.below(4));
                return;
            case 3:
                expect(heap_.counts == nullptr || malloom_bins_count_chunks(&heap_) == MALLOOM_BINS_OK,
                       "chunks are counted");
                return;
            default:
                return rehash();
        }
    }

    void rehash() {
        const auto ranges = static_cast<malloom_bins_ranges>(choices_.below(MALLOOM_BINS_BY_OCTAVE + 1));
        const unsigned most = ranges == MALLOOM_BINS_AS_THEY_ARE ? 1 : heap_.most_bins + 1;
        const auto bins = static_cast<unsigned>(choices_.below(most));
        const bool is_bounded = (heap_.options & MALLOOM_BINS_BOUNDED) != 0;
        const malloom_bins_result said =
            choices_.below(2) == 0 || is_bounded
                ? malloom_bins_rehash_into(&heap_, bins, ranges, nullptr)
                : malloom_bins_rehash_if_worth(&heap_, static_cast<unsigned>(choices_.below(1 << 20)), bins,
                                               ranges, nullptr);
        expect(said == MALLOOM_BINS_OK || said == MALLOOM_BINS_NO_MEMORY, "bins are laid out anew");
    }

    void rehash_automatically() {
        malloom_bins_automatic_settings settings = {};
        settings.ranges = static_cast<malloom_bins_ranges>(choices_.below(MALLOOM_BINS_BY_OCTAVE) + 1);
        settings.bins = static_cast<unsigned>(choices_.below(heap_.most_bins + 1u));
        settings.counts = static_cast<unsigned>(choices_.below(8)) * MALLOOM_BINS_COUNT_INSERTIONS;
        settings.window = static_cast<unsigned>(choices_.below(5)) * 4;
        settings.code = choices_.below(2) == 0 ? &code() : nullptr;
        automatic_.resize(MALLOOM_BINS_AUTOMATIC_STORAGE(127) / 8 + 1);
        settings.storage = automatic_.data();
        settings.storage_bytes = automatic_.size() * 8;
        const bool is_bounded = (heap_.options & MALLOOM_BINS_BOUNDED) != 0;
        expect(malloom_bins_rehash_automatically(&heap_, choices_.below(8) == 0 ? nullptr : &settings) ==
                       MALLOOM_BINS_OK ||
                   is_bounded,
               "bins are laid out automatically");
    }

    /// For functions on machines that write them, of one heap after the other.
    static const malloom_bins_code& code() {
        constexpr static size_t bytes = 1 << 14;
        static const malloom_bins_code pages = {
            .memory = static_cast<unsigned char*>(
                mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
            .bytes = bytes,
            .end_write =
                [](void*, unsigned char* half, size_t half_bytes) {
                    auto* begin = reinterpret_cast<char*>(half);
                    __builtin___clear_cache(begin, begin + half_bytes);
                },
        };
        return pages;
    }

    void remove_region() {
        if (regions_.empty()) {
            return;
        }
        if (has_quick_lists_) {
            malloom_bins_quick_settle(&quick_);
        }
        const auto chosen = std::next(regions_.begin(), static_cast<long>(choices_.below(regions_.size())));
        if (malloom_bins_remove_region(&heap_, chosen->first) == MALLOOM_BINS_OK) {
            regions_.erase(chosen);
        }
    }

    void take_zeroed() {
        const size_t bytes = choices_.below(200);
        auto* object = static_cast<unsigned char*>(calloc(3, bytes));
        expect(object == nullptr || is_marked(object, 3 * bytes, 0), "it is zeroed");
        take(object, 3 * bytes);
    }

    void take(void* object, size_t bytes) {
        if (object == nullptr) {
            return;
        }
        auto* begin = static_cast<unsigned char*>(object);
        const size_t usable = malloom_bins_usable_size(&heap_, object);
        expect(usable >= bytes, "it is as large as was asked");
        expect(reinterpret_cast<uintptr_t>(object) % alignment_ == 0, "it is aligned");
        const auto next = living_.lower_bound(begin);
        expect(next == living_.end() || begin + usable <= next->first, "it ends before the next object");
        expect(next == living_.begin() || std::prev(next)->first + std::prev(next)->second.bytes <= begin,
               "it begins after the one before");
        living_[begin] = {usable, ++mark_};
        memset(begin, mark_, usable);
    }

    void take_aligned() {
        const size_t alignment = size_t{1} << choices_.below(13), bytes = choices_.below(600);
        void* object = malloom_bins_aligned(&heap_, alignment, bytes);
        expect(reinterpret_cast<uintptr_t>(object) % alignment == 0, "it is aligned as asked");
        take(object, bytes);
    }

    std::map<unsigned char*, Object>::iterator any() {
        return std::next(living_.begin(), static_cast<long>(choices_.below(living_.size())));
    }

    bool is_marked(const unsigned char* begin, size_t bytes, unsigned char mark) {
        for (size_t at = 0; at < bytes; ++at) {
            if (begin[at] != mark) {
                return false;
            }
        }
        return true;
    }

    void resize() {
        if (living_.empty()) {
            return;
        }
        const auto chosen = any();
        auto [begin, object] = *chosen;
        const size_t bytes = choices_.below(3'000);
        auto* moved = static_cast<unsigned char*>(realloc(begin, bytes));
        if (moved == nullptr) {
            return;
        }
        expect(is_marked(moved, std::min(bytes, object.bytes), object.mark), "realloc keeps the bytes");
        living_.erase(chosen);
        take(moved, bytes);
    }

    void free_one(bool is_later) {
        if (living_.empty()) {
            return;
        }
        const auto chosen = any();
        expect(is_marked(chosen->first, chosen->second.bytes, chosen->second.mark), "nobody wrote into it");
        const malloom_bins_result said =
            is_later ? malloom_bins_free_later(&heap_, chosen->first) : free(chosen->first);
        expect(said == MALLOOM_BINS_OK, "it is freed");
        if (!is_later && has_quick_lists_ && choices_.below(4) == 0) {
            const malloom_bins_result again = free(chosen->first);
            expect(again != MALLOOM_BINS_OK, "it is not freed twice");
        }
        living_.erase(chosen);
    }

    void check() {
        expect(malloom_bins_check(&heap_) == MALLOOM_BINS_OK, "the heap is whole");
        malloom_bins_statistics found;
        malloom_bins_statistics_of(&heap_, &found);
        expect(found.living_objects >= living_.size(), "all objects live");
    }

    Choices choices_;
    malloom_bins heap_ = {};
    malloom_bins_quick quick_ = {};
    bool has_quick_lists_ = false;
    std::vector<uint64_t> storage_, automatic_, lists_;
    std::map<void*, std::unique_ptr<unsigned char[]>> regions_;
    std::map<unsigned char*, Object> living_;
    std::string wrong_;
    unsigned levels_ = 1;
    size_t alignment_ = 1;
    unsigned char mark_ = 0;
};

}  // namespace malloom::tests
