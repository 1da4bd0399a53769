// Steps the chunk unit beside the bitmaps of a heap through the requests of a recorded run:
// malloom-chunk-cosim FILE. Prints what the unit was asked, and its cycles. The exit status is 1 where the
// two do not agree, 2 where there is nothing to read.
#include <iostream>
#include <vector>

#include <Vchunk_unit.h>
#include "hardware/cosim/operations.h"
#include "hardware/cosim/pages.h"
#include "hardware/cosim/simulated_unit.h"

namespace malloom::hardware {

namespace {

// How many requests were for more than half a page.
uint64_t run(const Operations& operations, Pages& pages) {
    std::vector<std::optional<Place>> places;
    uint64_t large = 0;
    for (const int64_t operation : operations) {
        if (operation >= 0) {
            places.push_back(pages.allocate(static_cast<uint64_t>(operation)));
            if (!places.back()) ++large;
        } else if (const auto& place = places[static_cast<size_t>(~operation)]) {
            pages.free(*place);
        }
        if (!pages.disagreement().empty()) break;
    }
    return large;
}

int compare(const char* path) {
    const std::optional<Operations> operations = read_operations(path);
    if (!operations) {
        std::cerr << "malloom-chunk-cosim: " << path << " has no whole list of requests\n";
        return 2;
    }
    SimulatedUnit<Vchunk_unit> unit;
    Pages pages({}, [&](const Request& request) { return unit.answer_at_once(request); });
    const uint64_t large = run(*operations, pages);
    const Asked& asked = pages.asked();
    std::cout << "operations " << operations->size() << " large " << large << " pages " << pages.pages()
              << " finds " << asked.finds << " frees " << asked.frees << " loads " << asked.loads
              << " stores " << asked.stores << " cycles " << unit.cycles() << "\n";
    if (pages.disagreement().empty()) return 0;
    std::cerr << "malloom-chunk-cosim: " << pages.disagreement() << "\n";
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
