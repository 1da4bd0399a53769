// Wrong calls of the bin heap on this board. Prints how many were answered; its exit status is 0, or 1 with a
// line that says what does not hold.
#include "tests/runtime/heaps/bins/on_boards/bad_input.h"

#include "tests/runtime/heaps/bins/on_boards/board_program.h"
#include "tests/runtime/heaps/bins/on_boards/overwritten_tags.h"

using namespace malloom::tests::on_boards;

int main() {
    BoardProgram program;
    const Surroundings here = program.surroundings();
    BadInput bad_input(here, program.expectations());
    bad_input.run();
    OverwrittenTags overwritten_tags(here, program.expectations());
    overwritten_tags.run();
    program.say(bad_input.refused(), " wrong calls refused, ");
    program.say(overwritten_tags.noticed(), " overwritten tags noticed; ");
    return program.end();
}
