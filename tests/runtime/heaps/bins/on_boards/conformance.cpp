// What the bin heap promises holds on this board. Prints how much was done; its exit status is 0, or 1 with a
// line that says what does not hold.
#include "tests/runtime/heaps/bins/on_boards/conformance.h"

#include "tests/runtime/heaps/bins/on_boards/board_program.h"
#include "tests/runtime/heaps/bins/on_boards/sizes.h"

using namespace malloom::tests::on_boards;

int main() {
    BoardProgram program;
    const Surroundings here = program.surroundings();
    Conformance conformance(here, program.expectations());
    conformance.run();
    program.say(conformance.objects(), " objects, ");
    program.say(program.code().waited, " functions generated; ");
    program.say(MALLOOM_BINS_ORIGINAL_COUNT, " bins in ");
    program.say(bytes_without_table(MALLOOM_BINS_ORIGINAL_COUNT), " bytes, with a table ");
    program.say(bytes_with_table(MALLOOM_BINS_ORIGINAL_COUNT), "; ");
    return program.end();
}
