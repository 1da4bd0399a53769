// MallocConformance: the program malloc_conformance, over the C library, which shows that it asks for no more
// than it may, and over every heap that a process can have.
#include "tests/runtime/front/preload.h"

namespace malloom::tests {
namespace {

struct Setting {
    const char* name;
    const char* library;   ///< preloaded
    const char* settings;  ///< a plan is added where `serving` is one's
    const char*
        serving;  ///< what the line of statistics counts the requests under that it has to have served
};

// As which a test is known.
void PrintTo(const Setting& setting, std::ostream* out) {
    *out << setting.name;
}

class MallocConformanceReference : public Preloading {
  protected:
    static void expect_pass(const Outcome& outcome) {
        EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.complaint;
        EXPECT_NE(outcome.output.find("[  PASSED  ]"), std::string::npos) << outcome.output;
    }
};

class MallocConformance : public MallocConformanceReference, public testing::WithParamInterface<Setting> {
  protected:
    std::string settings() {
        const std::string own = GetParam().settings;
        return std::string(GetParam().serving) == "matched" ? own + "," + plan_for_anyone() : own;
    }
};

// Requests that the line counts there.
unsigned long count_of(const std::string& line, const std::string& word) {
    const size_t place = line.find(", " + word + " ");
    return place == std::string::npos ? 0 : std::stoul(line.substr(place + word.size() + 3));
}

std::string name_of(const testing::TestParamInfo<Setting>& setting) {
    return setting.param.name;
}

TEST_F(MallocConformanceReference, TheCLibraryPasses) {
    expect_pass(plain(MALLOOM_CONFORMANCE));
}

TEST_P(MallocConformance, Holds) {
    const Outcome outcome = run(settings(), MALLOOM_CONFORMANCE, GetParam().library);
    expect_pass(outcome);
    EXPECT_EQ(outcome.complaint, "");
}

TEST_P(MallocConformance, HoldsWhereRequestsAreCounted) {
    const Outcome outcome = run("statistics=1," + settings(), MALLOOM_CONFORMANCE, GetParam().library);
    expect_pass(outcome);
    // How many the plan fits depends on which thread asks first: some hundreds beyond its first misfits.
    EXPECT_GT(count_of(outcome.complaint, GetParam().serving), 500u) << outcome.complaint;
}

// It has joined by a line in heaps_with_bump.def alone.
TEST_F(MallocConformanceReference, AFurtherHeapServesNearlyAll) {
    const Outcome outcome = run("heap=bump,statistics=1", MALLOOM_CONFORMANCE, MALLOOM_LIBRARY_WITH_BUMP);
    const unsigned long others = count_of(outcome.complaint, "fallback");
    EXPECT_GT(count_of(outcome.complaint, "bump"), 100 * others) << outcome.complaint;
}

INSTANTIATE_TEST_SUITE_P(
    All, MallocConformance,
    testing::Values(Setting{"plan", MALLOOM_LIBRARY, "heap=plan", "matched"},
                    Setting{"preallocated_plan", MALLOOM_LIBRARY, "preallocate=1", "matched"},
                    Setting{"pools", MALLOOM_LIBRARY, "heap=pools", "pooled"},
                    Setting{"pools_and_plan", MALLOOM_LIBRARY, "heap=pools", "matched"},
                    Setting{"pools_colocating", MALLOOM_LIBRARY, "heap=pools,colocate=1", "pooled"},
                    Setting{"guarded_pools", MALLOOM_LIBRARY, "heap=pools,guards=1", "pooled"},
                    Setting{"guarded_fallback", MALLOOM_LIBRARY, "heap=fallback,guards=1", "fallback"},
                    Setting{"bins", MALLOOM_LIBRARY, "heap=bins", "bins"},
                    Setting{"pages", MALLOOM_LIBRARY, "heap=pages", "pages"},
                    Setting{"fallback", MALLOOM_LIBRARY, "heap=fallback", "fallback"},
                    Setting{"system", MALLOOM_LIBRARY, "fallback=system", "fallback"},
                    Setting{"bump", MALLOOM_LIBRARY_WITH_BUMP, "heap=bump", "bump"}),
    name_of);

}  // namespace
}  // namespace malloom::tests
