// libmalloom.so in real processes: its own probe, and programs that users have.
#include "tests/runtime/front/preload.h"

namespace malloom::tests {
namespace {

class Preload : public Preloading {
  protected:
    // A plan of `count` slots of `granules` for the probe's call site, in an order of its own: the i-th is at
    // i * 5 % count.
    std::string plan_for_probe(unsigned depth, uint32_t count, uint32_t granules, uint32_t step = 1) {
        PlanBuilder builder(uint64_t{count} * granules * 16);
        const uint64_t context = name_context(builder, depth);
        std::vector<PlanBuilder::Slot> slots;
        for (uint64_t i = 0; i < count; ++i) {
            slots.push_back({static_cast<uint32_t>(i * step % count * granules), granules});
        }
        builder.add_context(context, slots);
        return settings_for(builder);
    }

    // One whose call site has a group.
    std::string plan_of_a_group(unsigned depth) {
        PlanBuilder builder(0);
        const uint64_t context = name_context(builder, depth);
        builder.groups.push_back({4096, 4096, 4096, 0});
        builder.add_context(context, {}, 0);
        return settings_for(builder);
    }

  private:
    uint64_t name_context(PlanBuilder& builder, unsigned depth) const {
        std::istringstream hashes(plain(MALLOOM_PROBE " hashes").output);
        uint64_t contexts[2] = {};
        hashes >> builder.header.program >> contexts[0] >> contexts[1];
        builder.header.depth = depth;
        return contexts[depth - 1];
    }
    std::string settings_for(PlanBuilder& builder) const {
        builder.write(folder + "/plan");
        return "statistics=1,plan=" + folder + "/plan";
    }
};

TEST_F(Preload, EveryRequestOfAPlannedCallSiteMatches) {
    const Outcome outcome = run(plan_for_probe(1, 5000, 3), MALLOOM_PROBE " objects 5000 48");
    EXPECT_EQ(outcome.output, "adjacent 4999\n");
    EXPECT_NE(outcome.complaint.find("matched 5000 ("), std::string::npos) << outcome.complaint;
}

TEST_F(Preload, EveryRequestOfAPlannedChainMatches) {
    const Outcome outcome = run(plan_for_probe(2, 5000, 3), MALLOOM_PROBE " objects 5000 48");
    EXPECT_EQ(outcome.output, "adjacent 4999\n");
    EXPECT_NE(outcome.complaint.find("matched 5000 ("), std::string::npos) << outcome.complaint;
}

TEST_F(Preload, TheFastPathMatchesLikeTheCountedOne) {
    for (unsigned depth : {1U, 2U}) {
        const std::string settings = "statistics=0," + plan_for_probe(depth, 5000, 3);
        EXPECT_EQ(run(settings, MALLOOM_PROBE " objects 5000 48").output, "adjacent 4999\n");
        EXPECT_EQ(run("preallocate=1," + settings, MALLOOM_PROBE " objects 5000 48").output,
                  "adjacent 4999\n");
    }
}

TEST_F(Preload, ThePlanDecidesTheOrder) {
    const Outcome outcome = run(plan_for_probe(1, 5000, 3, 7), MALLOOM_PROBE " objects 5000 48");
    EXPECT_EQ(outcome.output, "adjacent 0\n");
}

TEST_F(Preload, RequestsBeyondThePlanGoToTheFallback) {
    const Outcome outcome = run(plan_for_probe(1, 1000, 3), MALLOOM_PROBE " objects 5000 48");
    EXPECT_NE(outcome.complaint.find("plan used up"), std::string::npos) << outcome.complaint;
    EXPECT_NE(outcome.complaint.find("matched 1000 ("), std::string::npos) << outcome.complaint;
}

TEST_F(Preload, ACallSiteThatThePlanDoesNotFitIsGivenUp) {
    const Outcome outcome = run(plan_for_probe(1, 5000, 3), MALLOOM_PROBE " objects 5000 200");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.complaint.find("plan given up at request "), std::string::npos) << outcome.complaint;
    EXPECT_NE(outcome.complaint.find(", 1 contexts did not fit"), std::string::npos) << outcome.complaint;
}

TEST_F(Preload, APlanWhoseGroupsHaveStoppedIsGivenUp) {
    for (unsigned depth : {1U, 2U}) {
        const Outcome outcome = run(plan_of_a_group(depth), MALLOOM_PROBE " sparse 400000 64");
        EXPECT_EQ(outcome.status, 0);
        EXPECT_NE(outcome.complaint.find("plan given up at request "), std::string::npos)
            << outcome.complaint;
        EXPECT_NE(outcome.complaint.find("in 1 group (1 stopped)"), std::string::npos) << outcome.complaint;
        const Outcome fitting = run(plan_of_a_group(depth), MALLOOM_PROBE " objects 40000 64");
        EXPECT_NE(fitting.complaint.find("plan used; "), std::string::npos) << fitting.complaint;
    }
}

TEST_F(Preload, StatisticsComeHoweverTheProgramEnds) {
    for (const char* settings : {"statistics=1", "statistics=1,fallback=system"}) {
        for (const char* command : {MALLOOM_PROBE " quick_exit", MALLOOM_PROBE " one", "/bin/ls /"}) {
            const Outcome outcome = run(settings, command);
            EXPECT_EQ(outcome.status, 0) << command;
            const size_t line = outcome.complaint.find("plan not asked for; requests ");
            EXPECT_NE(line, std::string::npos) << command << outcome.complaint;
            EXPECT_EQ(outcome.complaint.find("plan not", line + 1), std::string::npos) << command;
        }
    }
}

TEST_F(Preload, AnotherProgramsPlanIsLeftAlone) {
    const std::string settings = plan_for_probe(1, 1000, 3);
    const Outcome outcome = run(settings, "/bin/ls /");
    EXPECT_EQ(outcome.output, plain("/bin/ls /").output);
    EXPECT_NE(outcome.complaint.find("of another program"), std::string::npos) << outcome.complaint;
}

TEST_F(Preload, ThreadsForksSignalsAndExecLive) {
    const std::string settings = plan_for_probe(1, 200000, 3);
    for (const std::string& heap :
         {settings, "statistics=0," + settings, plan_for_anyone(), "heap=pools,statistics=0," + settings,
          "heap=pools," + plan_for_anyone(), std::string("heap=pools"),
          std::string("heap=pools,statistics=1"), std::string("heap=pools,colocate=1"),
          std::string("heap=bins"), std::string("heap=bins,statistics=1"), std::string("heap=pages"),
          std::string("heap=pages,statistics=1"), std::string("heap=fallback"),
          std::string("fallback=system")}) {
        EXPECT_EQ(run(heap, MALLOOM_PROBE " threads").output, "threads done\n") << heap;
        EXPECT_EQ(run(heap, MALLOOM_PROBE " fork").output, "fork done\n") << heap;
        EXPECT_EQ(run(heap, MALLOOM_PROBE " one").output, "one done\n") << heap;
        EXPECT_EQ(run(heap, MALLOOM_PROBE " exec").output, "one done\n") << heap;
    }
}

TEST_F(Preload, SignalHandlersMayAskWhereThePlanOrInstancesOfThreadsServe) {
    for (const std::string& settings : {"statistics=0," + plan_for_probe(1, 1000000, 3),
                                        std::string("heap=bins"), std::string("heap=pages")}) {
        const Outcome outcome = run(settings, MALLOOM_PROBE " signal");
        EXPECT_EQ(outcome.output, "signal done\n") << outcome.complaint;
    }
}

// Fifty threads one after the other or at a time, of whose objects none is another's; and main, which has
// few.
TEST_F(Preload, StatisticsSayHowManyInstancesServed) {
    const std::string one = run("heap=bins,statistics=1", MALLOOM_PROBE " one").complaint;
    EXPECT_NE(one.find(" (1 instance, 1 region, at most 1.0 MiB, 0 freed by other threads)"),
              std::string::npos)
        << one;
    const std::string many = run("heap=bins,statistics=1", MALLOOM_PROBE " threads").complaint;
    const size_t number = many.find('(') == std::string::npos ? 0 : many.find(", bins ");
    ASSERT_NE(number, std::string::npos) << many;
    const unsigned long instances = std::stoul(many.substr(many.find('(', number) + 1));
    EXPECT_GT(instances, 1u) << many;
    EXPECT_LE(instances, 51u) << many;
}

TEST_F(Preload, WhatIsFreedWronglyInBinsOrPagesEndsTheProgramWithALine) {
    std::ofstream(folder + "/wrong.c") << "#include <stdlib.h>\n#include <string.h>\n"
                                          "int main(int count, char** words) {\n"
                                          "    char* volatile object = malloc(100);\n"
                                          "    char* volatile behind = malloc(100);\n"
                                          "    if (words[1][0] == 'o') memset(object, 1, 120);\n"
                                          "    free(words[1][0] == 'w' ? object + 16 : object);\n"
                                          "    if (words[1][0] == 't') free(object);\n"
                                          "    free(behind);\n"
                                          "    return 0;\n"
                                          "}\n";
    ASSERT_EQ(plain("gcc -fno-builtin wrong.c -o wrong").status, 0);
    const auto complaint = [&](const std::string& heap, const char* how) {
        const Outcome outcome = run("heap=" + heap, "./wrong " + std::string(how));
        EXPECT_EQ(outcome.status == 0, outcome.complaint.empty()) << outcome.complaint;
        return outcome.complaint;
    };
    for (const std::string heap : {"bins", "pages"}) {
        EXPECT_EQ(complaint(heap, "right"), "");
        EXPECT_NE(complaint(heap, "twice").find(", which is free already, freed at (wrong+"),
                  std::string::npos);
        EXPECT_NE(complaint(heap, "within").find(", where no object begins, freed at (wrong+"),
                  std::string::npos);
    }
    EXPECT_NE(complaint("bins", "over")
                  .find(", around which somebody has written past an object, freed at (wrong+"),
              std::string::npos);
}

TEST_F(Preload, AnInvalidPointerEndsTheProgramWithALine) {
    const Outcome outcome = run(plan_for_probe(1, 1000, 3), MALLOOM_PROBE " invalid");
    EXPECT_NE(outcome.complaint.find("free(): invalid pointer"), std::string::npos) << outcome.complaint;
    EXPECT_NE(outcome.status, 0);
}

TEST_F(Preload, ABadPlanIsOneLineAndTheProgramRuns) {
    std::ofstream(folder + "/plan") << std::string(5000, 'x');
    const Outcome outcome = run("plan=" + folder + "/plan", MALLOOM_PROBE " one");
    EXPECT_EQ(outcome.output, "one done\n");
    EXPECT_EQ(outcome.complaint,
              "malloom: " + folder + "/plan: is not a plan; the program runs without a plan\n");
    EXPECT_NE(run("plan=/nowhere", MALLOOM_PROBE " one").complaint.find("No such file"), std::string::npos);
}

TEST_F(Preload, PosixMemalignLeavesErrnoAlone) {
    EXPECT_EQ(run("", MALLOOM_PROBE " errno").output, "errno kept\n");
}

// When it is started nothing limits it. The largest are aligned ones of which mimalloc would ask for more
// than it has in a segment.
TEST_F(Preload, AProgramThatLimitsItsOwnDataGetsNull) {
    for (const char* settings : {"heap=fallback", "heap=pools", "heap=bins", "heap=pages", "fallback=system",
                                 "heap=pools,statistics=1"}) {
        for (const char* objects : {"48 0", "1000 0", "4000 0", "20000 0", "1000000 0", "16000000 0", "64 64",
                                    "8000 4096", "1000000 65536", "15700000 1048576", "16700000 1048576"}) {
            const Outcome outcome = run(settings, MALLOOM_PROBE " limited " + std::string(objects));
            EXPECT_EQ(outcome.output, "limited done\n") << settings << " " << objects;
            EXPECT_EQ(outcome.status, 0) << settings << " " << objects;
        }
    }
}

// What is open and not used is missing elsewhere where the limit is near.
TEST_F(Preload, LittleIsOpenedThatIsNotUsed) {
    for (const char* settings : {"heap=fallback", "heap=pools"}) {
        EXPECT_LE(std::stoi(run(settings, MALLOOM_PROBE " opened").output), 8) << settings;
    }
}

// Whatever the limit is, at least half of it is the program's, and what it does after is as before.
TEST_F(Preload, AProgramThatIsStartedWithALimitGetsNull) {
    for (const char* settings : {"heap=fallback", "heap=pools", "fallback=system"}) {
        for (const char* limit :
             {"--as=1000000000", "--as=3000000000", "--data=8000000", "--data=300000000"}) {
            for (const char* objects : {"100000 0", "64000 4096"}) {
                const std::string command =
                    "prlimit " + std::string(limit) + " " MALLOOM_PROBE " exhaust " + objects;
                const Outcome outcome = run(settings, command);
                const unsigned long most =
                    std::stoul(std::string(limit).substr(strcspn(limit, "=") + 1)) >> 20;
                ASSERT_EQ(outcome.status, 0) << settings << " " << command << outcome.complaint;
                EXPECT_LE(std::stoul(outcome.output), most) << settings << " " << command;
                if (most > 100) {
                    EXPECT_GE(std::stoul(outcome.output), most / 2) << settings << " " << command;
                }
            }
        }
    }
}

// mimalloc's locks are not open in a child whose parent's other threads held them.
TEST_F(Preload, ChildrenOfAProgramWhoseThreadsAllocateAreWell) {
    const char* count = getenv("MALLOOM_SOAK") != nullptr ? "10000" : "100";
    const std::string well = std::string(count) + " of " + count + " were well\n";
    for (const char* settings : {"heap=fallback", "heap=pools"}) {
        EXPECT_EQ(run(settings, MALLOOM_PROBE " forks " + std::string(count)).output, well) << settings;
    }
}

TEST_F(Preload, GuardsAreLookedAtHoweverTheEntriesAreCompiled) {
    for (const char* library : {MALLOOM_LIBRARY, MALLOOM_UNOPTIMIZED_LIBRARY}) {
        for (const char* settings : {"heap=pools,guards=1", "heap=fallback,guards=1"}) {
            for (const char* way : {"0", "1"}) {
                const std::string command = std::string(MALLOOM_PROBE " past ");
                EXPECT_EQ(run(settings, command + "0 " + way, library).complaint, "");
                const Outcome outcome = run(settings, command + "1 " + way, library);
                EXPECT_NE(outcome.complaint.find("wrote past the end of"), std::string::npos)
                    << library << settings << way;
            }
        }
    }
}

TEST_F(Preload, AWrongSettingIsNamed) {
    const Outcome outcome = run("heap=pool", MALLOOM_PROBE " one");
    EXPECT_EQ(outcome.complaint,
              "malloom: MALLOOM=heap=pool is ignored; it can be plan|pools|fallback|bins|pages\n");
}

// `hg` is how the kernel tells of memory that is to become huge pages.
TEST_F(Preload, TheFallbackIsInHugePagesWhereThatIsWanted) {
    const std::string allowed = contents("/sys/kernel/mm/transparent_hugepage/enabled");
    const bool are_possible = !allowed.empty() && allowed.find("[never]") == std::string::npos;
    const auto are_wanted = [&](const std::string& settings, const std::string& mebibytes = "30") {
        const std::string maps = run(settings, MALLOOM_PROBE " smaps " + mebibytes).output;
        EXPECT_NE(maps.find("VmFlags:"), std::string::npos);
        return maps.find(" hg") != std::string::npos;
    };
    EXPECT_FALSE(are_wanted("heap=fallback,fallback_huge_pages=1", "5")) << "one would be much of that";
    EXPECT_FALSE(are_wanted("heap=fallback"));
    EXPECT_FALSE(are_wanted("heap=fallback,fallback_huge_pages=0"));
    EXPECT_EQ(are_wanted("heap=fallback,fallback_huge_pages=1"), are_possible);
    PlanBuilder builder(0);
    builder.header.flags = static_cast<uint64_t>(formats::plan::PlanFlag::fallback_huge_pages);
    builder.write(folder + "/plan");
    EXPECT_EQ(are_wanted("plan=" + folder + "/plan"), are_possible);
    EXPECT_FALSE(are_wanted("fallback_huge_pages=0,plan=" + folder + "/plan"));
}

TEST_F(Preload, TheFallbackGivesBackAfterTheDelay) {
    PlanBuilder builder(0);
    builder.header.purge_delay = 2;
    builder.write(folder + "/plan");
    const auto left_of = [&](const std::string& settings) {
        return std::stoul(run(settings, MALLOOM_PROBE " left 100").output);
    };
    EXPECT_GT(left_of("heap=fallback"), 90U) << "a second has not passed";
    EXPECT_LT(left_of("heap=fallback,purge_delay=0"), 50U);
    EXPECT_LT(left_of("plan=" + folder + "/plan"), 50U);
    EXPECT_GT(left_of("purge_delay=100000,plan=" + folder + "/plan"), 90U);
    EXPECT_EQ(run("purge_delay=1s", MALLOOM_PROBE " one").complaint,
              "malloom: MALLOOM=purge_delay=1s is ignored; it can be milliseconds\n");
}

TEST_F(Preload, UnknownSettingsAreNamedInOneLine) {
    const Outcome outcome = run("hep=plan,statistics=0,Plan=x,fallback=mimalloc", MALLOOM_PROBE " one");
    EXPECT_EQ(outcome.complaint,
              "malloom: there is no setting 'hep', 'Plan'; MALLOOM can have plan heap fallback "
              "fallback_huge_pages purge_delay fallback_up_to statistics save_plan save_process save_program "
              "guards preallocate huge_pages packed pools_in_mimalloc colocate tokens prefetch record depth "
              "max_size windows "
              "accesses\n");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.output, plain(MALLOOM_PROBE " one").output);
}

TEST_F(Preload, WhateverIsIgnoredIsNamed) {
    const auto complaint = [&](const std::string& settings) {
        return run(settings, MALLOOM_PROBE " one").complaint;
    };
    EXPECT_EQ(
        complaint("heap,=x,,fallback=,plan=0:"),
        "malloom: in MALLOOM is ignored 'heap', '=x', 'fallback=', 'plan=0:'; a setting is NAME=VALUE\n");
    EXPECT_EQ(complaint("heap=fallback,statistics=0,heap=pools"),
              "malloom: MALLOOM sets more than once 'heap'; the first counts\n");
    EXPECT_EQ(complaint("plan=/" + std::string(8698, 'x')),
              "malloom: MALLOOM is ignored: it has 8704 bytes, and 8703 are the most\n");
    EXPECT_EQ(complaint("\x1b[31m\xff=1").find("malloom: there is no setting '\\x1b[31m\\xff'; "), 0);
}

TEST_F(Preload, TheRecorderNamesThemToo) {
    const Outcome outcome = run("hep=1,dept=3,depth", MALLOOM_PROBE " one", MALLOOM_RECORDER);
    EXPECT_EQ(outcome.complaint.find("malloom: in MALLOOM is ignored 'depth'; a setting is NAME=VALUE\n"
                                     "malloom: there is no setting 'hep', 'dept'; "),
              0)
        << outcome.complaint;
    EXPECT_EQ(outcome.status, 0);
}

TEST_F(Preload, TheRecordersSettingsAreNotUnknown) {
    std::string settings;
#define OPTION(field, name, otherwise, meaning) settings += #name "=1,";
#include "record/preload/options.def"
#undef OPTION
    EXPECT_EQ(run(settings + "accesses=full,record=/tmp/run.profile", MALLOOM_PROBE " one").complaint, "");
}

// It has the C library's free, and no search path of its own.
TEST_F(Preload, ADeeplyBoundPlugInSharesTheHeap) {
    std::ofstream(folder + "/plug_in.c")
        << "#include <stdlib.h>\n#include <string.h>\n"
           "void take(void* object) { free(object); free(strdup(\"x\")); }\n";
    std::ofstream(folder + "/host.c")
        << "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
           "int main(void) {\n"
           "    void* library = dlopen(\"plug_in.so\", RTLD_NOW | RTLD_DEEPBIND);\n"
           "    if (library == NULL) return puts(dlerror());\n"
           "    ((void (*)(void*))dlsym(library, \"take\"))(malloc(99));\n"
           "    return puts(\"taken\") < 0;\n"
           "}\n";
    ASSERT_EQ(plain("gcc -shared -fPIC -fno-builtin plug_in.c -o plug_in.so").status, 0);
    ASSERT_EQ(plain("gcc host.c -o host '-Wl,-rpath,$ORIGIN'").status, 0);
    for (const std::string& settings : {plan_for_anyone(), std::string("heap=fallback"),
                                        std::string("heap=pools"), std::string("heap=bins")}) {
        const Outcome outcome = run(settings, "./host");
        EXPECT_EQ(outcome.output, "taken\n") << outcome.complaint;
        EXPECT_EQ(outcome.status, 0);
    }
}

// Programs of the system, with and without a plan that matches a part of whatever they do.
class RealPrograms : public Preload, public testing::WithParamInterface<const char*> {};

TEST_P(RealPrograms, BehaveTheSame) {
    std::ofstream(folder + "/hello.c")
        << "#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0; }\n";
    const Outcome expected = plain(GetParam());
    ASSERT_EQ(expected.status, 0) << expected.complaint;
    for (const std::string& settings :
         {plan_for_anyone(), std::string("heap=fallback"), std::string("fallback=system"),
          std::string("heap=pools"), "heap=pools," + plan_for_anyone(), std::string("heap=bins"),
          "preallocate=1," + plan_for_anyone()}) {
        const Outcome outcome = run(settings, GetParam());
        EXPECT_EQ(outcome.output, expected.output) << settings;
        EXPECT_EQ(outcome.complaint, expected.complaint) << settings;
        EXPECT_EQ(outcome.status, expected.status) << settings;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, RealPrograms,
    testing::Values("/bin/ls -lR /usr/include",
                    "bash -c 'for i in 1 2 3; do echo $(printf %s $i | sed s/2/x/); done'",
                    "python3 -c 'import json, decimal, threading; print(json.dumps({str(i): [i] * 9 for i in "
                    "range(2000)}))'",
                    "gcc -O2 -c hello.c -o hello.o",
                    "sh -c 'git init -q g && cd g && git add . && git status --short'",
                    "perl -e 'my %h; $h{$_ % 1000} .= $_ for 1..50000; print scalar keys %h'",
                    // Where address space is limited, nearly all is the program's.
                    "prlimit --as=1100000000 python3 -c 'import mmap; print(len(mmap.mmap(-1, 800000000)))'",
                    // So little is promised, to RLIMIT_DATA and mlockall too.
                    "awk '/VmData/ {print $2 < 1000000}' /proc/self/status"));

}  // namespace
}  // namespace malloom::tests
