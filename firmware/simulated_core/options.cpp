#include "firmware/simulated_core/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "firmware/simulated_core/cluster.h"
#include "firmware/simulated_core/failure.h"
#include "firmware/simulated_core/second_level.h"

namespace malloom::simulated_core {

namespace {

constexpr const char* help =
    "malloom-core [OPTION...] PROGRAM\n"
    "\n"
    "Runs a program on a simulated RISC-V core (RV32IM, caches of 4 KiB), cycle by cycle. PROGRAM is an\n"
    "ELF file, or anything else, which is put where the memory begins. Prints what it prints, ends with\n"
    "its exit status.\n"
    "\n"
    "  --latency N          cycles until memory answers with the first word of a line (4)\n"
    "  --write-latency N    cycles until memory takes a word that is written (1)\n"
    "  --second-level SIZE  a cache of 4 ways between the core's and the memory; a power of two (none)\n"
    "  --second-level-latency N  cycles until it answers with the first word of a line (6); of a line that\n"
    "                       it does not hold, as many before the memory's\n"
    "  --memory SIZE        from 0x10000000 on; with K, M or G (16M)\n"
    "  --data FILE@ADDRESS  a file that the program finds in memory (@0x40000000)\n"
    "  --cores N            so many cores that run the program, each in memory of its own, in step (1); it\n"
    "                       ends when all have exited, or one with another status than 0\n"
    "  --shared SIZE        memory from 0xc0000000 on that all cores reach, and none caches (none)\n"
    "  --shared-latency N   cycles of an access to it or to a lock, when its turn has come (4)\n"
    "  --shared-banks N     parts of it, line by line, of which each has one access at a time (1)\n"
    "  --limit N            cycles that the program may take, else it is ended with status 124\n"
    "                       (2000000000)\n"
    "  --traffic            prints at the end, to standard error, what went over the buses\n"
    "  --profile FILE       writes how often each instruction was done, how many cycles went to it, and how\n"
    "                       many lines of instructions and of data it made the caches read, as lines of\n"
    "                       its address and these four numbers; of the first core\n";

// Of a unit of sizes, as a power of two; 0 for what is none.
unsigned shift_of(char unit) {
    return unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
}

uint64_t number_in(const std::string& option, const std::string& text, bool is_size) {
    char* end = nullptr;
    errno = 0;
    const uint64_t number = strtoull(text.c_str(), &end, 0);
    const unsigned shift = is_size ? shift_of(*end) : 0;
    if (shift != 0) ++end;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number << shift >> shift != number) {
        fail(bad_use, option + " takes a number, not " + text);
    }
    return number << shift;
}

unsigned count_in(const std::string& option, const std::string& text, unsigned most) {
    const uint64_t number = number_in(option, text, false);
    if (number == 0 || number > most) {
        fail(bad_use, option + " is from 1 to " + std::to_string(most) + ", not " + text);
    }
    return static_cast<unsigned>(number);
}

unsigned latency_in(const std::string& option, const std::string& text) {
    return count_in(option, text, 1'000'000);
}

uint64_t second_level_in(const std::string& option, const std::string& text) {
    const uint64_t bytes = number_in(option, text, true);
    if (!SecondLevel::can_have(bytes)) fail(bad_use, option + " is a power of two from 128, not " + text);
    return bytes;
}

uint64_t shared_in(const std::string& option, const std::string& text) {
    const uint64_t bytes = number_in(option, text, true);
    if (!SharedBus::can_have(bytes)) fail(bad_use, option + " is at most 1G, not " + text);
    return bytes;
}

bool read_of_cores(Options& options, const std::string& name, const std::string& value) {
    if (name == "--cores") {
        options.cores = count_in(name, value, Cluster::most_cores);
    } else if (name == "--shared") {
        options.shared.bytes = shared_in(name, value);
    } else if (name == "--shared-latency") {
        options.shared.latency = latency_in(name, value);
    } else if (name == "--shared-banks") {
        options.shared.banks = count_in(name, value, SharedBus::most_banks);
    } else {
        return false;
    }
    return true;
}

void read_data(Options& options, const std::string& text) {
    const size_t sign = text.rfind('@');
    options.data = text.substr(0, sign);
    if (sign == std::string::npos) return;
    const uint64_t begin = number_in("--data", text.substr(sign + 1), false);
    if (begin > UINT32_MAX) fail(bad_use, "--data has an address of 32 bits, not " + text.substr(sign + 1));
    options.data_begin = static_cast<uint32_t>(begin);
}

bool read_with_value(Options& options, const std::string& name, const std::string& value) {
    if (name == "--latency") {
        options.latency.read = latency_in(name, value);
    } else if (name == "--write-latency") {
        options.latency.write = latency_in(name, value);
    } else if (name == "--second-level") {
        options.second_level_bytes = second_level_in(name, value);
    } else if (name == "--second-level-latency") {
        options.latency.second_level = latency_in(name, value);
    } else if (name == "--memory") {
        options.memory_bytes = number_in(name, value, true);
    } else if (name == "--data") {
        read_data(options, value);
    } else if (name == "--profile") {
        options.profile = value;
    } else if (name == "--limit") {
        options.most_cycles = number_in(name, value, false);
    } else {
        return read_of_cores(options, name, value);
    }
    return true;
}

[[noreturn]] void show_help() {
    fputs(help, stdout);
    exit(0);
}

}  // namespace

Options read_options(int count, char** words) {
    Options options;
    for (int index = 1; index < count; ++index) {
        const std::string word = words[index];
        if (word == "--help") show_help();
        if (word == "--traffic") {
            options.shows_traffic = true;
        } else if (!word.starts_with("-")) {
            if (!options.program.empty()) fail(bad_use, "there is one program, and not also " + word);
            options.program = word;
        } else if (index + 1 == count) {
            fail(bad_use, "there is nothing after " + word + " (--help lists the options)");
        } else if (!read_with_value(options, word, words[++index])) {
            fail(bad_use, "there is no option " + word + " (--help lists them)");
        }
    }
    if (options.program.empty()) fail(bad_use, "which program? (--help tells more)");
    return options;
}

}  // namespace malloom::simulated_core
