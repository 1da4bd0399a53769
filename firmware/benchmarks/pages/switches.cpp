// Two users of memory, between whom a timer switches at random cycles. The data file's line says which:
//   handler  the interrupt's handler has a heap of its own
//   tasks    the handler goes from one task to another, each with a heap of its own
//   shared   the handler has the program's heap, which keeps interrupts off while it is in a call
//   cycles   nobody is interrupted; what saving and restoring a unit's state takes is printed
// With ! behind it, what keeps the two apart is left out. It prints how many words of objects changed,
// whether both heaps are whole, how many interrupts there were, and how many came within malloc and free.
#include "firmware/board.h"
#include "firmware/page_heap/page_malloc.h"
#include "firmware/simulated_core/addresses.h"
#include "runtime/heaps/pages/page_heap.h"
#include "runtime/heaps/pages/windowed_heap.h"
#include "runtime/structures/freestanding/bit_search.h"
#include "runtime/structures/freestanding/unit_search.h"

extern "C" {
void* malloc(size_t bytes);
void free(void* object);
extern char malloom_management_begin[], malloom_management_end[];
void timer_entry();
uintptr_t* on_timer(uintptr_t* frame);
uintptr_t trap_of_board;
}

namespace {

using namespace malloom::structures;
using linear = malloom::heaps::pages::PageHeap<SearchInMemory<LinearSearch<>>>;
using hardware = malloom::heaps::pages::PageHeap<SearchInUnit<InstructionUnit>>;
using better = malloom::heaps::pages::WindowedHeap<malloom::heaps::pages::WindowInstructions>;
using Heap = MALLOOM_PAGE_SEARCH;
using malloom::heaps::pages::Region;
using malloom::heaps::pages::Wrong;

enum class Between : uint8_t { handler = 'h', tasks = 't', shared = 's', cycles = 'c' };

constinit Between between = Between::cycles;
constinit bool keeps_apart = true;

void set_interrupts(bool are_on) {
    constexpr uint32_t of_machine = 1U << 3;
    __asm__ volatile("csrc mstatus, %0" : : "r"(are_on ? 0 : of_machine) : "memory");
    __asm__ volatile("csrs mstatus, %0" : : "r"(are_on ? of_machine : 0) : "memory");
}

class Chance {
  public:
    constexpr explicit Chance(uint32_t seed) : state_(seed) {}
    uint32_t below(uint32_t limit) {
        state_ = state_ * 1664525 + 1013904223;
        return (state_ >> 8) % limit;
    }

  private:
    uint32_t state_;
};

/// malloc's heap, in the handler and where nobody else has it.
struct First {
    static void* make(size_t bytes) { return malloc(bytes); }
    static void end(void* object) { free(object); }
};

/// The same where the handler has it too.
struct Shared {
    static void* make(size_t bytes) {
        set_interrupts(!keeps_apart);
        void* const object = malloc(bytes);
        set_interrupts(true);
        return object;
    }
    static void end(void* object) {
        set_interrupts(!keeps_apart);
        free(object);
        set_interrupts(true);
    }
};

constinit Heap second_heap;
constinit Region* second_region = nullptr;
constinit uint32_t refused = 0;

bool open_second() {
    alignas(Heap::page_bytes) static uint8_t memory[64 * Heap::page_bytes];
    second_region = second_heap.add_region(memory, sizeof memory);
    return second_region != nullptr;
}

/// A heap beside malloc's.
struct Second {
    static void* make(size_t bytes) { return second_heap.allocate(bytes); }
    static void end(void* object) {
        second_heap.release(*second_region, object, [](Wrong, const void*) { ++refused; });
    }
};

/// Makes objects and ends them at random, for a while more of the one, then of the other. All words of an
/// object are its own mark, so that two in one place are noticed.
template <uint32_t most>
class Objects {
  public:
    /// An odd seed's marks are odd.
    constexpr explicit Objects(uint32_t seed) : chance_(seed), mark_(seed) {}

    template <class Source>
    void step() {
        const bool grows = (++steps_ / 512 & 1) == 0;
        Object& object = objects_[chance_.below(most)];
        if (grows == (object.words != nullptr) && chance_.below(4) != 0) {
            return;
        }
        if (object.words == nullptr) {
            make<Source>(object);
        } else {
            end<Source>(object);
        }
    }
    uint32_t changed() {
        for (const Object& object : objects_) {
            check(object);
        }
        return changed_;
    }

  private:
    struct Object {
        uint32_t* words;
        uint32_t count;
        uint32_t mark;
    };

    // It may end anywhere here, interrupted: what is counted is whole.
    template <class Source>
    void make(Object& object) {
        const uint32_t wanted =
            chance_.below(64) == 0 ? 1500 : 1 + chance_.below(chance_.below(4) == 0 ? 150 : 15);
        auto* const words = static_cast<uint32_t*>(Source::make(wanted * sizeof(uint32_t)));
        if (words == nullptr) {
            return;
        }
        mark_ += 2;
        const uint32_t count = wanted < 64 ? wanted : 64;
        for (uint32_t word = 0; word < count; ++word) {
            words[word] = mark_;
        }
        object.words = words;
        object.mark = mark_;
        finish_writing();
        object.count = count;
    }
    template <class Source>
    void end(Object& object) {
        check(object);
        uint32_t* const words = object.words;
        object.count = 0;
        finish_writing();
        object.words = nullptr;
        Source::end(words);
    }
    static void finish_writing() { __asm__ volatile("" : : : "memory"); }
    void check(const Object& object) {
        for (uint32_t word = 0; word < object.count; ++word) {
            changed_ += object.words[word] != object.mark;
        }
    }

    Chance chance_;
    uint32_t mark_;
    uint32_t steps_ = 0;
    uint32_t changed_ = 0;
    Object objects_[most] = {};
};

constinit Objects<400> objects_of_program(1);
constinit Objects<200> objects_of_other(2);
constinit malloom_page_unit_state states[2] = {};

/// From the program's heap to the other one, or back.
void switch_heaps(bool to_other) {
    if (keeps_apart) {
        malloom_page_unit_save(&states[to_other ? 0 : 1]);
        malloom_page_unit_restore(&states[to_other ? 1 : 0]);
    }
}

[[noreturn]] void run_other_task() {
    for (;;) {
        objects_of_other.step<Second>();
    }
}

/// A task that has not run yet begins with these of its registers: gp and tp are all tasks'.
uintptr_t* first_frame(const uintptr_t* of_program) {
    alignas(16) static uintptr_t stack[1024];
    uintptr_t* const frame = stack + sizeof stack / sizeof *stack - 32;
    frame[0] = reinterpret_cast<uintptr_t>(run_other_task);
    frame[3] = of_program[3];
    frame[4] = of_program[4];
    return frame;
}

uintptr_t* switch_tasks(uintptr_t* frame) {
    static uintptr_t* waiting = nullptr;
    static bool other_runs = false;
    uintptr_t* const next = waiting != nullptr ? waiting : first_frame(frame);
    waiting = frame;
    other_runs = !other_runs;
    switch_heaps(other_runs);
    return next;
}

void handle_with_own_heap() {
    switch_heaps(true);
    objects_of_other.step<Second>();
    switch_heaps(false);
}

constinit Chance when(7);
constinit uint32_t interrupts = 0;
constinit uint32_t within_calls = 0;

void set_timer() {
    // NOLINTNEXTLINE(clang-analyzer-core.FixedAddressDereference): a device lies there.
    *reinterpret_cast<volatile uint32_t*>(CORE_TIMER) = 300 + when.below(2700);
}

void let_timer_interrupt() {
    __asm__ volatile("csrr %0, mtvec" : "=r"(trap_of_board));
    __asm__ volatile("csrw mtvec, %0" : : "r"(timer_entry));
    __asm__ volatile("csrs mie, %0" : : "r"(1U << 7));
    set_timer();
    set_interrupts(true);
}

void work() {
    constexpr uint32_t steps = 3000;
    for (uint32_t step = 0; step < steps; ++step) {
        if (between == Between::shared) {
            objects_of_program.step<Shared>();
        } else {
            objects_of_program.step<First>();
        }
    }
    set_interrupts(false);
}

void print(uint32_t number) {
    board_write_number(number);
    board_write(" ");
}

int look_for_damage() {
    let_timer_interrupt();
    work();
    switch_heaps(true);
    const bool is_second_valid = second_heap.is_valid() && refused == 0;
    switch_heaps(false);
    print(objects_of_program.changed() + objects_of_other.changed());
    print(is_second_valid && malloom_page_heap_is_valid() != 0);
    print(interrupts);
    print(within_calls);
    board_write("\n");
    return 0;
}

/// Of a call, without what the clock itself takes.
template <class Call>
uint32_t cycles_of(Call call) {
    const uint32_t begin = board_cycles();
    const uint32_t middle = board_cycles();
    call();
    return board_cycles() - middle - (middle - begin);
}

/// The second time all is in the caches.
int count_cycles() {
    uint32_t saving = 0;
    uint32_t restoring = 0;
    for (int round = 0; round < 2; ++round) {
        saving = cycles_of([] { malloom_page_unit_save(&states[0]); });
        restoring = cycles_of([] { malloom_page_unit_restore(&states[0]); });
    }
    print(saving);
    print(restoring);
    board_write("\n");
    return 0;
}

}  // namespace

uintptr_t* on_timer(uintptr_t* frame) {
    ++interrupts;
    within_calls += frame[0] >= reinterpret_cast<uintptr_t>(malloom_management_begin) &&
                    frame[0] < reinterpret_cast<uintptr_t>(malloom_management_end);
    set_timer();
    if (between == Between::tasks) {
        return switch_tasks(frame);
    }
    if (between == Between::handler) {
        handle_with_own_heap();
    } else {
        objects_of_other.step<First>();
    }
    return frame;
}

int main() {
    const board_range data = board_data();
    if (data.bytes < 2 || !open_second()) {
        return 1;
    }
    between = static_cast<Between>(data.begin[0]);
    keeps_apart = data.begin[data.bytes - 2] != '!';
    return between == Between::cycles ? count_cycles() : look_for_damage();
}
