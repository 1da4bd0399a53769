// Calls of the bin heap by chance on this board. Prints how many there were; its exit status is 0, or 1 with
// a line that says what does not hold.
#include "tests/runtime/heaps/bins/on_boards/random_operations.h"

#include "tests/runtime/heaps/bins/on_boards/board_program.h"

using namespace malloom::tests::on_boards;

int main() {
    constexpr unsigned heaps = 20, steps = 400;
    BoardProgram program;
    const Surroundings here = program.surroundings();
    size_t objects = 0, rehashes = 0;
    for (uint32_t seed = 0; seed < heaps; ++seed) {
        RandomOperations operations(here, program.expectations(), seed);
        operations.run(steps);
        objects += operations.made();
        rehashes += operations.rehashes();
    }
    program.say(heaps, " heaps, ");
    program.say(objects, " objects, ");
    program.say(rehashes, " rehashes, ");
    program.say(program.code().waited, " functions generated; ");
    return program.end();
}
