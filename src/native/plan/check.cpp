#include "src/native/plan/check.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "formats/plan.h"
#include "record/stream/checksum.h"
#include "runtime/heaps/plan/plan_file.h"

namespace malloom::native {

namespace {

using namespace formats::plan;

/// A file mapped for reading, its pages brought in with one call.
class MappedPlan {
  public:
    explicit MappedPlan(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct stat status{};
        if (file_ < 0 || fstat(file_, &status) != 0) {
            fail(path);
        }
        if (!S_ISREG(status.st_mode)) {
            errno = EINVAL;
            fail(path);
        }
        bytes_ = static_cast<size_t>(status.st_size);
        if (bytes_ > 0) {
            start_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file_, 0);
            if (start_ == MAP_FAILED) {
                fail(path);
            }
        }
    }
    MappedPlan(const MappedPlan&) = delete;
    MappedPlan& operator=(const MappedPlan&) = delete;
    ~MappedPlan() {
        if (bytes_ > 0) {
            munmap(start_, bytes_);
        }
        close(file_);
    }

    const unsigned char* start() const { return static_cast<const unsigned char*>(start_); }
    size_t bytes() const { return bytes_; }

  private:
    [[noreturn]] void fail(const std::string& path) const {
        const std::error_code error(errno, std::generic_category());
        if (file_ >= 0) {
            close(file_);
        }
        throw std::system_error(error, path);
    }

    int file_;
    void* start_ = nullptr;
    size_t bytes_ = 0;
};

std::string version_problem(uint32_t version) {
    return "is of version " + std::to_string(version) +
           (version > version_current ? ", newer than this malloom knows"
                                      : ", older than this malloom reads");
}

// The run time's own judgement, with the number of a version that is not this one.
std::string header_problem(const MappedPlan& plan) {
    const auto* header = reinterpret_cast<const PlanHeader*>(plan.start());
    if (plan.bytes() >= sizeof(PlanHeader) && header->magic == file_magic &&
        header->version != version_current) {
        return version_problem(header->version);
    }
    heaps::PlanFile file;
    return file.open(plan.start(), plan.bytes()) ? "" : file.problem();
}

}  // namespace

CheckedPlan check_plan(const std::string& path) {
    const MappedPlan plan(path);
    std::string problem = header_problem(plan);
    if (!problem.empty()) {
        return {problem, ""};
    }
    const auto& header = *reinterpret_cast<const PlanHeader*>(plan.start());
    const size_t body_bytes = plan.bytes() - sizeof header;
    if (stream::checksum(plan.start() + sizeof header, body_bytes) != header.body_checksum) {
        return {"is damaged: its body's checksum is wrong", ""};
    }
    return {"", std::string(reinterpret_cast<const char*>(plan.start()), sizeof header)};
}

}  // namespace malloom::native
