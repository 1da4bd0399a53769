#include "src/native/plan/check.h"

#include <algorithm>
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

/// A plan's file. Whoever changes it meanwhile makes it no good plan, and harms nothing else.
class OpenedPlan {
  public:
    explicit OpenedPlan(const std::string& path) : path_(path) {
        if (const char* problem = file_.open(path.c_str())) {
            fail(problem);
        }
        if (file_.bytes() >= sizeof header_) {
            read(&header_, sizeof header_, 0);
        }
    }
    OpenedPlan(const OpenedPlan&) = delete;
    OpenedPlan& operator=(const OpenedPlan&) = delete;
    ~OpenedPlan() { file_.close(); }

    const PlanHeader& header() const { return header_; }
    uint64_t bytes() const { return file_.bytes(); }

    uint64_t body_checksum() {
        std::vector<unsigned char> part(std::min(part_bytes, bytes()));
        stream::Checksum checksum;
        for (uint64_t at = sizeof header_; at < bytes(); at += part.size()) {
            const uint64_t step = std::min<uint64_t>(part.size(), bytes() - at);
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
    PlanHeader header_{};
};

std::string version_problem(uint32_t version) {
    return "is of version " + std::to_string(version) +
           (version > version_current ? ", newer than this malloom knows"
                                      : ", older than this malloom reads");
}

// The run time's own judgement, with the number of a version that is not this one.
std::string header_problem(const OpenedPlan& plan) {
    const PlanHeader& header = plan.header();
    if (plan.bytes() >= sizeof header && header.magic == file_magic && header.version != version_current) {
        return version_problem(header.version);
    }
    heaps::PlanFile file;
    return file.open(reinterpret_cast<const unsigned char*>(&header), plan.bytes()) ? "" : file.problem();
}

}  // namespace

CheckedPlan check_plan(const std::string& path) {
    OpenedPlan plan(path);
    std::string problem = header_problem(plan);
    if (!problem.empty()) {
        return {problem, ""};
    }
    const PlanHeader& header = plan.header();
    if (plan.body_checksum() != header.body_checksum) {
        return {"is damaged: its body's checksum is wrong", ""};
    }
    return {"", std::string(reinterpret_cast<const char*>(&header), sizeof header)};
}

}  // namespace malloom::native
