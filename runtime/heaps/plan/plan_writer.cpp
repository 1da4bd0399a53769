#include "runtime/heaps/plan/plan_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/platform/memory.h"

namespace malloom::heaps {

using namespace formats::plan;

namespace {

struct Section {
    const void* start;
    uint64_t count;
    uint64_t entry_bytes;

    uint64_t bytes() const { return count * entry_bytes; }
};

// The sections as they follow the header.
enum { contexts, slots, sequences, groups, prefetches, sections };

// A table of contexts in pages of its own.
class Table {
  public:
    explicit Table(uint64_t entries) {
        while (capacity_ < 2 * entries) {
            capacity_ *= 2;
        }
        entries_ = static_cast<PlanContext*>(platform::map_pages(bytes()));
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;
    ~Table() {
        if (entries_ != nullptr) {
            platform::unmap_pages(entries_, bytes());
        }
    }

    bool is_there() const { return entries_ != nullptr; }
    const PlanContext* entries() const { return entries_; }
    uint64_t capacity() const { return capacity_; }

    // The entry of this hash, where it is new an empty one. There are at most half as many as places.
    PlanContext& find(uint64_t hash) {
        uint64_t place = hash & (capacity_ - 1);
        while (entries_[place].hash != 0 && entries_[place].hash != hash) {
            place = (place + 1) & (capacity_ - 1);
        }
        return entries_[place];
    }

    uint64_t pools() const {
        uint64_t count = 0;
        for (uint64_t i = 0; i < capacity_; ++i) {
            const uint32_t bytes = entries_[i].pool_bytes;
            count +=
                (bytes != no_pool && bytes != deeper_pools) || entries_[i].companion_place != no_companion;
        }
        return count;
    }

  private:
    size_t bytes() const { return capacity_ * sizeof(PlanContext); }

    PlanContext* entries_ = nullptr;
    uint64_t capacity_ = 2;
};

// The slots of a plan, in pages of its own: the plan's are there for requests only, and not all at once.
class SlotsOf {
  public:
    explicit SlotsOf(const PlanFile* plan) {
        bytes_ = plan != nullptr ? plan->header().slots_count * sizeof(PlanSlot) : 0;
        entries_ = bytes_ != 0 ? static_cast<PlanSlot*>(platform::map_pages(bytes_)) : nullptr;
        is_there_ = bytes_ == 0 || (entries_ != nullptr && plan->copy_slots(entries_));
    }
    SlotsOf(const SlotsOf&) = delete;
    SlotsOf& operator=(const SlotsOf&) = delete;
    ~SlotsOf() {
        if (entries_ != nullptr) {
            platform::unmap_pages(entries_, bytes_);
        }
    }

    bool is_there() const { return is_there_; }
    const PlanSlot* entries() const { return entries_; }

  private:
    size_t bytes_;
    PlanSlot* entries_;
    bool is_there_;
};

void fill(Table& table, const LearnedPlan& learned) {
    const uint64_t old = learned.base != nullptr ? learned.base->header().contexts_capacity : 0;
    for (uint64_t i = 0; i < old; ++i) {
        const PlanContext& entry = learned.base->contexts()[i];
        if (entry.hash != 0) {
            table.find(entry.hash) = entry;
        }
    }
    for (size_t i = 0; i < learned.contexts_count; ++i) {
        const PlanContext& entry = learned.contexts[i];
        PlanContext& kept = table.find(entry.hash);
        if (kept.hash == 0) {
            kept = entry;
        } else {
            kept.pool_bytes = entry.pool_bytes;
            kept.companion_place = entry.companion_place;
            kept.companion_offset = entry.companion_offset;
            kept.companion_objects = entry.companion_objects;
        }
    }
}

PlanHeader new_header(const LearnedPlan& learned) {
    PlanHeader header = {};
    if (learned.base != nullptr) {
        header = learned.base->header();
    } else {
        header.matching = static_cast<uint32_t>(Matching::context);
        strncpy(header.strategy.bytes, learned.strategy, sizeof header.strategy.bytes - 1);
    }
    header.magic = file_magic;
    header.version = version_current;
    header.header_bytes = sizeof header;
    header.program = learned.program;
    // Who learns has contexts that the base's keys do not know.
    header.sites_offset = 0;
    header.sites_bytes = 0;
    // And what was measured of the base was not measured of what is written now.
    header.record_offset = 0;
    header.record_bytes = 0;
    if (header.matching == static_cast<uint32_t>(Matching::context) && header.depth < learned.depth) {
        header.depth = learned.depth;
    }
    // Groups that are found by their call site alone are so beside deeper pools too.
    if (learned.base != nullptr && header.groups_count != 0 && header.slots_count == 0 &&
        learned.base->header().depth == 1) {
        header.flags |= static_cast<uint32_t>(PlanFlag::stepwise);
    }
    if (learned.has_tokens) {
        header.flags |= static_cast<uint32_t>(PlanFlag::by_token);
    }
    return header;
}

void lay_out(PlanHeader& header, const Section (&parts)[sections]) {
    uint64_t* const places[sections][2] = {{&header.contexts_offset, &header.contexts_capacity},
                                           {&header.slots_offset, &header.slots_count},
                                           {&header.sequences_offset, &header.sequences_count},
                                           {&header.groups_offset, &header.groups_count},
                                           {&header.prefetches_offset, &header.prefetches_count}};
    uint64_t offset = sizeof header;
    for (unsigned i = 0; i < sections; ++i) {
        *places[i][0] = offset;
        *places[i][1] = parts[i].count;
        offset += parts[i].bytes();
    }
    header.file_bytes = offset;
}

void seal(PlanHeader& header, const Section (&parts)[sections]) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (const Section& part : parts) {
        if (part.count != 0) {
            XXH3_64bits_update(&state, part.start, part.bytes());
        }
    }
    header.body_checksum = XXH3_64bits_digest(&state);
    header.header_checksum = XXH3_64bits(&header, offsetof(PlanHeader, header_checksum));
}

bool write_all(int file, const void* start, size_t bytes) {
    const auto* at = static_cast<const char*>(start);
    while (bytes != 0) {
        const ssize_t written = write(file, at, bytes);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        at += written;
        bytes -= static_cast<size_t>(written);
    }
    return true;
}

// To write beyond RLIMIT_FSIZE would end the program by SIGXFSZ.
bool within_file_limit(uint64_t bytes) {
    rlimit limit{};
    const bool is_within =
        getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
    errno = is_within ? errno : EFBIG;
    return is_within;
}

bool write_sections(int file, const PlanHeader& header, const Section (&parts)[sections]) {
    bool is_written = within_file_limit(header.file_bytes) && write_all(file, &header, sizeof header);
    for (const Section& part : parts) {
        is_written = is_written && write_all(file, part.start, part.bytes());
    }
    return is_written;
}

// Nothing but a plan is replaced: no device, no folder, and no file that somebody named by mistake.
bool may_replace(const char* path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT;
    }
    if (!S_ISREG(status.st_mode)) {
        return false;
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint64_t magic = 0;
    const bool is_plan =
        status.st_size == 0 ||
        (file >= 0 && read(file, &magic, sizeof magic) == sizeof magic && magic == file_magic);
    if (file >= 0) {
        close(file);
    }
    return is_plan;
}

// `path` with its last part replaced by one that no other process uses.
bool make_temporary_name(const char* path, char (&temporary)[PATH_MAX]) {
    constexpr char begin[] = ".malloom-";
    const char* last = strrchr(path, '/');
    const size_t folder = last != nullptr ? static_cast<size_t>(last - path) + 1 : 0;
    constexpr size_t digits = 20;
    if (folder + sizeof begin + digits >= PATH_MAX) {
        return false;
    }
    memcpy(temporary, path, folder);
    memcpy(temporary + folder, begin, sizeof begin);
    char* end = temporary + folder + sizeof begin - 1;
    for (auto rest = static_cast<unsigned>(getpid()); rest != 0; rest /= 10) {
        *end++ = static_cast<char>('0' + rest % 10);
    }
    *end = '\0';
    return true;
}

const char* write_beside(const char* path, const PlanHeader& header, const Section (&parts)[sections]) {
    char temporary[PATH_MAX];
    if (!make_temporary_name(path, temporary)) {
        return strerrordesc_np(ENAMETOOLONG);
    }
    const int file =
        open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) {
        return strerrordesc_np(errno);
    }
    const bool is_written = write_sections(file, header, parts);
    const int error = errno;
    if (close(file) == 0 && is_written && rename(temporary, path) == 0) {
        return nullptr;
    }
    const char* problem = strerrordesc_np(is_written ? errno : error);
    unlink(temporary);
    return problem;
}

const char* write_to(const LearnedPlan& learned, const char* path) {
    const PlanFile* base = learned.base;
    const uint64_t old = base != nullptr ? base->header().contexts_capacity : 0;
    Table table(old + learned.contexts_count);
    if (!table.is_there()) {
        return strerrordesc_np(ENOMEM);
    }
    fill(table, learned);
    const SlotsOf base_slots(base);
    Section parts[sections] = {{table.entries(), table.capacity(), sizeof(PlanContext)},
                               {nullptr, 0, sizeof(PlanSlot)},
                               {nullptr, 0, sizeof(PlanSequence)},
                               {nullptr, 0, sizeof(PlanGroup)},
                               {learned.prefetches, learned.prefetches_count, sizeof(PlanPrefetch)}};
    if (base != nullptr) {
        if (!base_slots.is_there()) {
            return "the plan of this run cannot be read any more";
        }
        parts[slots] = {base_slots.entries(), base->header().slots_count, sizeof(PlanSlot)};
        parts[sequences] = {base->sequences(), base->header().sequences_count, sizeof(PlanSequence)};
        parts[groups] = {base->groups(), base->header().groups_count, sizeof(PlanGroup)};
        if (learned.prefetches_count == 0) {
            parts[prefetches] = {base->prefetches(), base->prefetches_count(), sizeof(PlanPrefetch)};
        }
    }
    PlanHeader header = new_header(learned);
    header.pools_count = table.pools();
    lay_out(header, parts);
    seal(header, parts);
    return may_replace(path) ? write_beside(path, header, parts) : "is there, and is no plan";
}

}  // namespace

const char* write_plan(const LearnedPlan& learned, const char* path) {
    const int saved = errno;
    const char* problem = write_to(learned, path);
    errno = saved;
    return problem;
}

}  // namespace malloom::heaps
