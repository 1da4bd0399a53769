// Puts programs and files of data into the memory.
#pragma once

#include <stdint.h>

#include <string>

#include "firmware/simulated_core/memory.h"

namespace malloom::simulated_core {

/// All of a file. Ends the run where it cannot be read.
std::string read_file(const std::string& path);

/// The address that the program begins at. Ends the run where it does not fit, or is for another processor.
uint32_t load_program(Memory& memory, const std::string& path);

}  // namespace malloom::simulated_core
