// Programs with a library preloaded, and plans for them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/runtime/heaps/plan/plan_builder.h"

namespace malloom::tests {

struct Outcome {
    std::string output;
    std::string complaint;
    int status = 0;
};

inline std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class Preloading : public testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/malloom-preload-XXXXXX";
        folder = mkdtemp(pattern);
    }
    void TearDown() override { (void)!system(("rm -rf " + folder).c_str()); }

    Outcome run(const std::string& settings, const std::string& command,
                const std::string& library = MALLOOM_LIBRARY) const {
        return start("LD_PRELOAD=" + library + " MALLOOM='" + settings + "'", command);
    }
    Outcome plain(const std::string& command) const { return start("", command); }

    // `variables` are assignments for the program; the shell itself runs without the library.
    Outcome start(const std::string& variables, const std::string& command) const {
        const std::string line =
            "cd " + folder + " && env " + variables + " " + command + " >out 2>err </dev/null";
        const int status = system(line.c_str());
        return {contents(folder + "/out"), contents(folder + "/err"),
                WIFEXITED(status) ? WEXITSTATUS(status) : -1};
    }

    // Slots of the small sizes, sixteen of each in turn, again and again: something to match in any program.
    std::string plan_for_anyone() {
        PlanBuilder builder(uint64_t{16} << 20, formats::plan::Matching::sequence);
        for (unsigned thread = 0; thread < 4; ++thread) {
            std::vector<PlanBuilder::Slot> slots;
            for (uint32_t i = 0; i < 20000; ++i) {
                slots.push_back({(thread * 200000 + i * 37) % 1000000, 1 + i / 16 % 4});
            }
            builder.add_sequence(slots);
        }
        builder.write(folder + "/plan");
        return "plan=" + folder + "/plan";
    }

    std::string folder;
};

}  // namespace malloom::tests
