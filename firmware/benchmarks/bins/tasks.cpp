// Runs a graph of tasks on all cores (Lhuillier and Courousse, section 4.1), whose buffers come from one heap
// or from one for each core. Prints a line: the cycles until the last task has ended, and what the calls
// took.
#include "firmware/benchmarks/bins/core_heaps.h"
#include "firmware/benchmarks/bins/lines.h"
#include "firmware/benchmarks/bins/task_file.h"
#include "firmware/benchmarks/bins/task_schedule.h"
#include "firmware/benchmarks/bins/timed_calls.h"

using namespace malloom::bench::bins;

namespace {

enum Status { ended_well, bad_file, no_memory };

/// Of a core, as it shows them to the first one.
struct Result {
    uint32_t begin;  ///< by the clock, which is the same on all cores
    uint32_t end;
    uint32_t calls;  ///< cycles of all
    uint32_t worst;  ///< of a call
    uint32_t tasks;
    uint32_t released;
    uint32_t foreign;    ///< that another core has made
    uint32_t overflows;  ///< that found no room in the core's own heap
    uint32_t failures;
    uint32_t wrong;  ///< bytes
    uint32_t rehashes;
    uint32_t elsewhere;  ///< objects made by code that another core has generated
    Left left;
};

/// What lies at a place of a task's buffer.
uint8_t mark(uint32_t task, uint32_t place) {
    return static_cast<uint8_t>(task * 37 + place);
}

template <class Heap>
class Worker {
  public:
    /// The result is all zero.
    Worker(const TaskGraph& graph, const TaskSchedule& schedule, Heap& heap, Result& result)
        : graph_(graph), schedule_(schedule), heap_(heap), result_(result) {}

    void run() {
        result_.begin = board_cycles();
        for (uint32_t task = schedule_.next(); task != no_task; task = schedule_.next()) {
            ++result_.tasks;
            start(task);
            work(graph_.tasks[task].work);
            if (graph_.tasks[task].successors == 0) {
                release(task);
            }
            schedule_.end(task);
            heap_.has_done(result_.tasks);
        }
        result_.end = board_cycles();
        result_.overflows = heap_.overflows();
        result_.rehashes = heap_.rehashes();
    }

  private:
    void start(uint32_t task) {
        const uint32_t bytes = graph_.tasks[task].bytes;
        const uint32_t begin = board_cycles();
        void* const buffer = heap_.allocate(bytes);
        count(board_cycles() - begin);
        result_.elsewhere += heap_.runs_anothers_code();
        schedule_.set_buffer(task, buffer);
        if (buffer == nullptr) {
            ++result_.failures;
        } else {
            each_place(task, [task, buffer](uint32_t place) {
                static_cast<uint8_t*>(buffer)[place] = mark(task, place);
            });
        }
        for (const uint32_t before : graph_.before(graph_.tasks[task])) {
            check(before);
            if (schedule_.is_last_start_after(before)) {
                release(before);
            }
        }
    }

    void release(uint32_t task) {
        uint8_t* const buffer = schedule_.buffer(task);
        if (buffer == nullptr) {
            return;
        }
        check(task);
        const uint32_t begin = board_cycles();
        heap_.release(buffer);
        count(board_cycles() - begin);
        ++result_.released;
        result_.foreign += schedule_.core(task) != board_core();
    }

    void check(uint32_t task) {
        const uint8_t* const buffer = schedule_.buffer(task);
        if (buffer != nullptr) {
            each_place(task, [this, task, buffer](uint32_t place) {
                result_.wrong += buffer[place] != mark(task, place);
            });
        }
    }

    template <class Visit>
    void each_place(uint32_t task, const Visit& visit) {
        const uint32_t last = graph_.tasks[task].bytes - 1;
        for (uint32_t place = 0; place < last; place += graph_.header->fills != 0 ? 1 : last) {
            visit(place);
        }
        visit(last);
    }

    void count(uint32_t cycles) {
        const uint32_t net = cycles - clock_;
        result_.calls += net;
        result_.worst = net > result_.worst ? net : result_.worst;
    }

    static void work(uint32_t cycles) {
        const uint32_t begin = board_cycles();
        while (board_cycles() - begin < cycles) {
        }
    }

    const TaskGraph& graph_;
    const TaskSchedule& schedule_;
    Heap& heap_;
    uint32_t clock_ = cycles_of_clock();
    Result& result_;
};

/// Of this core, and of all together; zero at first.
Result mine;
Result all;

/// All cores' as one's: from the first begin to the last end.
void add_up(const volatile Result* each) {
    all.begin = UINT32_MAX;
    for (unsigned core = 0; core < board_core_count(); ++core) {
        const volatile Result& one = each[core];
        all.begin = one.begin < all.begin ? one.begin : all.begin;
        all.end = one.end > all.end ? one.end : all.end;
        all.worst = one.worst > all.worst ? one.worst : all.worst;
        all.calls += one.calls;
        all.tasks += one.tasks;
        all.released += one.released;
        all.foreign += one.foreign;
        all.overflows += one.overflows;
        all.failures += one.failures;
        all.wrong += one.wrong;
        all.rehashes += one.rehashes;
        all.elsewhere += one.elsewhere;
        all.left.living += one.left.living;
        all.left.damaged += one.left.damaged;
    }
}

void print() {
    write_field("cores", board_core_count());
    write_field("cycles", all.end - all.begin);
    write_field("calls", all.calls);
    write_field("worst", all.worst);
    write_field("pairs", all.tasks);
    write_field("released", all.released);
    write_field("foreign", all.foreign);
    write_field("overflows", all.overflows);
    write_field("failures", all.failures);
    write_field("wrong", all.wrong);
    write_field("rehashes", all.rehashes);
    write_field("elsewhere", all.elsewhere);
    write_field("living", all.left.living);
    write_field("damaged", all.left.damaged);
    end_line();
}

template <class Heap>
Status run(const TaskGraph& graph) {
    BoardMemory shared(board_shared_memory());
    BoardMemory own(board_memory());
    auto* const results = reinterpret_cast<Result*>(shared.take(board_core_count() * sizeof(Result)));
    TaskSchedule schedule(graph, shared);
    Heap heap(shared, own, graph.header->heap_bytes);
    if (results == nullptr || board_core_count() > most_cores || !schedule.open() || !heap.open()) {
        return no_memory;
    }
    schedule.wait_for_all();
    Worker<Heap>(graph, schedule, heap, mine).run();
    schedule.wait_for_all();
    mine.left = heap.left();
    results[board_core()] = mine;
    schedule.wait_for_all();
    if (board_core() == 0) {
        add_up(results);
        print();
    }
    return ended_well;
}

Status run_graph(const TaskGraph& graph) {
    switch (graph.header->heaps) {
        case Heaps::one:
            return run<OneHeap>(graph);
        case Heaps::each:
            return run<EachHeap>(graph);
        case Heaps::collected:
            return run<CollectedHeap>(graph);
        case Heaps::generated:
            return run<GeneratedHeap>(graph);
    }
    return bad_file;
}

}  // namespace

int main() {
    const TaskGraph graph = task_graph(board_data());
    return graph.header == nullptr ? bad_file : run_graph(graph);
}
