// Gives the requests of a recorded run to the page heap twice, one with the simulated chunk unit:
// malloom-chunk-cosim FILE. Prints what the unit was asked, and its cycles. The exit status is 1 where the
// two do not agree, 2 where there is nothing to read.
#include <iostream>
#include <vector>

#include "hardware/cosim/operations.h"
#include "hardware/cosim/paired_heaps.h"

namespace malloom::hardware {

namespace {

constexpr size_t most_bytes = size_t{4} << 30;
// So many operations lie between two looks at the whole heaps.
constexpr size_t between_checks = 1 << 16;

void run(const Operations& operations, PairedHeaps& heaps) {
    std::vector<size_t> places;
    for (size_t index = 0; index < operations.size() && heaps.problem().empty(); ++index) {
        const int64_t operation = operations[index];
        if (operation >= 0) {
            places.push_back(heaps.allocate(static_cast<size_t>(operation)));
        } else {
            heaps.release(places[static_cast<size_t>(~operation)]);
        }
        if (index % between_checks == 0) heaps.check_validity();
    }
    heaps.check_validity();
}

void tell(const Operations& operations) {
    using Unit = SimulatedInstructions;
    std::cout << "operations " << operations.size() << " finds " << Unit::asked(find_chunk) << " frees "
              << Unit::asked(free_chunk) << " loads " << Unit::asked(load) << " stores " << Unit::asked(store)
              << " statuses " << Unit::asked(status) << " cycles " << Unit::cycles() << "\n";
}

int compare(const char* path) {
    const std::optional<Operations> operations = read_operations(path);
    if (!operations) {
        std::cerr << "malloom-chunk-cosim: " << path << " has no whole list of requests\n";
        return 2;
    }
    PairedHeaps heaps(most_bytes);
    run(*operations, heaps);
    tell(*operations);
    if (heaps.problem().empty()) return 0;
    std::cerr << "malloom-chunk-cosim: " << heaps.problem() << "\n";
    return 1;
}

}  // namespace

}  // namespace malloom::hardware

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "malloom-chunk-cosim: name one file of requests\n";
        return 2;
    }
    return malloom::hardware::compare(arguments[1]);
}
