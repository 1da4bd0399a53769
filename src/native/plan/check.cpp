#include "src/native/plan/check.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "formats/plan.h"
#include "record/stream/checksum.h"
#include "runtime/heaps/plan/plan_file.h"
#include "runtime/platform/input_file.h"

namespace malloom::native {

namespace {

using namespace formats::plan;

constexpr uint64_t part_bytes = 1 << 20;

/// A file of plans. Whoever changes it meanwhile makes it no good one, and harms nothing else.
class OpenedPlans {
  public:
    explicit OpenedPlans(const std::string& path) : path_(path) {
        if (const char* problem = file_.open(path.c_str())) {
            fail(problem);
        }
    }
    OpenedPlans(const OpenedPlans&) = delete;
    OpenedPlans& operator=(const OpenedPlans&) = delete;
    ~OpenedPlans() { file_.close(); }

    uint64_t bytes() const { return file_.bytes(); }

    /// All zero where there is no room for one.
    PlanHeader header_at(uint64_t start) {
        PlanHeader header{};
        if (bytes() - start >= sizeof header) {
            read(&header, sizeof header, start);
        }
        return header;
    }

    uint64_t checksum(uint64_t begin, uint64_t end) {
        std::vector<unsigned char> part(std::min(part_bytes, end - begin));
        stream::Checksum checksum;
        for (uint64_t at = begin; at < end; at += part.size()) {
            const uint64_t step = std::min<uint64_t>(part.size(), end - at);
            read(part.data(), step, at);
            checksum.add(part.data(), step);
        }
        return checksum.value();
    }

  private:
    void read(void* into, size_t size, uint64_t offset) {
        if (!file_.read(into, size, offset)) {
            fail("it changes, or the disk does not give it");
        }
    }
    [[noreturn]] void fail(const char* problem) {
        file_.close();
        throw std::runtime_error(path_ + ": " + problem);
    }

    const std::string& path_;
    platform::InputFile file_;
};

std::string version_problem(uint32_t version) {
    return "is of version " + std::to_string(version) +
           (version > version_current ? ", newer than this malloom knows"
                                      : ", older than this malloom reads");
}

// The run time's own judgement, with the number of a version that is not this one. Of what has room for so
// many bytes.
std::string header_problem(const PlanHeader& header, uint64_t room) {
    if (room >= sizeof header && header.magic == file_magic && header.version != version_current) {
        return version_problem(header.version);
    }
    heaps::PlanFile file;
    const uint64_t bytes = std::min(header.file_bytes, room);
    return file.open(reinterpret_cast<const unsigned char*>(&header), bytes) ? "" : file.problem();
}

std::string problem_at(OpenedPlans& plans, uint64_t start, const PlanHeader& header) {
    // What follows a plan and is none is the rest of it, or of one that was cut.
    if (start != 0 && header.magic != file_magic) {
        return "is not as long as it says: it was cut or is still being written";
    }
    std::string problem = header_problem(header, plans.bytes() - start);
    if (problem.empty() &&
        plans.checksum(start + sizeof header, start + header.file_bytes) != header.body_checksum) {
        problem = "is damaged: its body's checksum is wrong";
    }
    return problem;
}

}  // namespace

CheckedPlan check_plan(const std::string& path) {
    OpenedPlans plans(path);
    CheckedPlan checked;
    std::set<uint64_t> programs;
    uint64_t start = 0;
    do {
        const PlanHeader header = plans.header_at(start);
        checked.problem = problem_at(plans, start, header);
        if (checked.problem.empty() && !programs.insert(header.program).second) {
            checked.problem = "has two plans for one executable: one is never used";
        }
        if (checked.problem.empty() && programs.size() > heaps::PlanFile::most_plans) {
            checked.problem = "has more plans than any build has programs";
        }
        if (!checked.problem.empty()) {
            return {checked.problem, ""};
        }
        checked.headers.append(reinterpret_cast<const char*>(&header), sizeof header);
        start += header.file_bytes;
    } while (start < plans.bytes());
    return checked;
}

}  // namespace malloom::native
