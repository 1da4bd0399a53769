#include "runtime/heaps/plan/plan_file.h"

#include <string.h>

// The hash of the format, from its own library, compiled into this file alone.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/platform/memory.h"

namespace malloom::heaps {

using namespace formats::plan;

namespace {

// Slots of plans up to here are read at once: that takes less than a millisecond, and no system call
// comes later.
constexpr uint64_t most_bytes_at_once = uint64_t{4} << 20;

// Of all else in a plan, far more than any has.
constexpr uint64_t most_table_bytes = uint64_t{256} << 20;

constexpr const char* cut_or_being_written =
    "is not as long as it says: it was cut or is still being written";

}  // namespace

bool PlanFile::open(const char* path, uint64_t program) {
    if (const char* problem = file_.open(path)) {
        return refuse(problem);
    }
    PlanHeader header{};
    header_ = &header;
    if (find_plan(program, header) && check_sections() && read_file()) {
        return true;
    }
    const char* problem = problem_;
    close();
    return refuse(problem);
}

bool PlanFile::open(const unsigned char* start, size_t bytes) {
    header_ = reinterpret_cast<const PlanHeader*>(start);
    if (!check_header(bytes) || !check_sections()) {
        return false;
    }
    find_sections();
    return true;
}

// Looks at all of them up to the one that is taken: its own, else one for any program, else the first.
bool PlanFile::find_plan(uint64_t program, PlanHeader& header) {
    bool has_common = false;
    uint64_t start = 0;
    for (uint64_t plans = 0; plans < most_plans; ++plans) {
        if (!read_header(start, header)) {
            return false;
        }
        if (header.program == program) {
            start_ = start;
            return true;
        }
        if (header.program == 0 && !has_common) {
            has_common = true;
            start_ = start;
        }
        start += header.file_bytes;
        if (start == file_.bytes()) {
            return read_header(start_, header);
        }
    }
    return refuse("has more plans than any build has programs: it is damaged");
}

bool PlanFile::read_header(uint64_t start, PlanHeader& header) {
    const uint64_t left = file_.bytes() - start;
    if (left >= sizeof header && !file_.read(&header, sizeof header, start)) {
        return refuse("cannot be read");
    }
    return check_header(header.file_bytes < left ? header.file_bytes : left) &&
           ends_well(start + header.file_bytes);
}

// What follows a plan and is none is the rest of it, or of one that was cut.
bool PlanFile::ends_well(uint64_t end) {
    const uint64_t left = file_.bytes() - end;
    uint64_t magic = 0;
    return left == 0 ||
           (left >= sizeof(PlanHeader) && file_.read(&magic, sizeof magic, end) && magic == file_magic) ||
           refuse(cut_or_being_written);
}

// `header_` is checked, and somebody else's.
bool PlanFile::read_file() {
    memory_bytes_ = header_->file_bytes;
    memory_ = static_cast<unsigned char*>(platform::reserve_pages(memory_bytes_, platform::page_bytes()));
    if (memory_ == nullptr) {
        return refuse("is too large for the memory that the program may have");
    }
    memcpy(memory_, header_, sizeof *header_);
    header_ = reinterpret_cast<const PlanHeader*>(memory_);
    fetches_slots_ = header_->slots_count > most_bytes_at_once / sizeof(PlanSlot);
    find_sections();
    if (!read_sections()) {
        return refuse("cannot be read to its end: somebody is changing it");
    }
    if (fetches_slots_) {
        platform::protect_pages(memory_, platform::round_down(header_->slots_offset, platform::page_bytes()));
        return file_.keep_open() || refuse("is large, and the program may have no more files open");
    }
    platform::protect_pages(memory_, memory_bytes_);
    file_.close();
    return true;
}

bool PlanFile::read_sections() {
    const PlanHeader& plan = *header_;
    return read_section(contexts_, plan.contexts_capacity * sizeof(PlanContext)) &&
           read_section(slots_, fetches_slots_ ? 0 : plan.slots_count * sizeof(PlanSlot)) &&
           read_section(sequences_, plan.sequences_count * sizeof(PlanSequence)) &&
           read_section(groups_, plan.groups_count * sizeof(PlanGroup)) &&
           read_section(prefetches_, plan.prefetches_count * sizeof(PlanPrefetch));
}

bool PlanFile::read_section(const void* start, uint64_t bytes) {
    const auto offset = static_cast<uint64_t>(static_cast<const unsigned char*>(start) - memory_);
    return file_.read(memory_ + offset, bytes, start_ + offset);
}

bool PlanFile::fetch_slots(const PlanSlot* first, const PlanSlot* end) const {
    const auto offset = static_cast<uint64_t>(reinterpret_cast<const unsigned char*>(first) - memory_);
    return !fetches_slots() ||
           file_.read(memory_ + offset, static_cast<size_t>(end - first) * sizeof *first, start_ + offset);
}

void PlanFile::fetch_all_slots() {
    if (contexts_ != nullptr && fetches_slots()) {
        copy_slots(reinterpret_cast<PlanSlot*>(memory_ + header_->slots_offset));
        __atomic_store_n(&fetches_slots_, false, __ATOMIC_RELAXED);
    }
}

bool PlanFile::copy_slots(PlanSlot* into) const {
    const size_t bytes = header_->slots_count * sizeof *into;
    if (file_.bytes() != 0) {
        return file_.read(into, bytes, start_ + header_->slots_offset);
    }
    memcpy(into, slots_, bytes);
    return true;
}

void PlanFile::close() {
    if (memory_ != nullptr) {
        platform::unmap_pages(memory_, memory_bytes_);
    }
    file_.close();
    *this = PlanFile();
}

bool PlanFile::refuse(const char* problem) {
    problem_ = problem;
    return false;
}

bool PlanFile::says(PlanFlag flag) const {
    return contexts_ != nullptr && (header_->flags & static_cast<uint64_t>(flag)) != 0;
}

bool PlanFile::check_header(size_t bytes) {
    if (bytes < sizeof(PlanHeader)) {
        return refuse("is too short for a plan");
    }
    if (header_->magic != file_magic) {
        return refuse("is not a plan");
    }
    if (header_->version != version_current) {
        return refuse("has a version that this malloom does not read");
    }
    if (XXH3_64bits(header_, offsetof(PlanHeader, header_checksum)) != header_->header_checksum) {
        return refuse("is damaged: its header's checksum is wrong");
    }
    if (header_->header_bytes != sizeof(PlanHeader) || header_->file_bytes != bytes) {
        return refuse(cut_or_being_written);
    }
    return true;
}

bool PlanFile::check_sections() {
    const PlanHeader& plan = *header_;
    const bool known = plan.matching == static_cast<uint32_t>(Matching::context) ||
                       plan.matching == static_cast<uint32_t>(Matching::sequence);
    const bool sized = plan.arena_bytes % granule_bytes == 0 && plan.arena_bytes <= maximum_arena_bytes &&
                       (plan.contexts_capacity & (plan.contexts_capacity - 1)) == 0;
    const bool deep =
        plan.matching != static_cast<uint32_t>(Matching::context) || (plan.depth >= 1 && plan.depth <= 32);
    if (!known || !sized || !deep) {
        return refuse("is damaged: its header makes no sense");
    }
    if (!lies_within(plan.contexts_offset, plan.contexts_capacity, sizeof(PlanContext)) ||
        !lies_within(plan.slots_offset, plan.slots_count, sizeof(PlanSlot)) ||
        !lies_within(plan.sequences_offset, plan.sequences_count, sizeof(PlanSequence)) ||
        !lies_within(plan.groups_offset, plan.groups_count, sizeof(PlanGroup)) ||
        !lies_within(plan.prefetches_offset, plan.prefetches_count, sizeof(PlanPrefetch)) ||
        !lies_within(plan.record_offset, plan.record_bytes, 1)) {
        return refuse("is damaged: a section lies outside the file");
    }
    const uint64_t table_bytes =
        plan.contexts_capacity * sizeof(PlanContext) + plan.sequences_count * sizeof(PlanSequence) +
        plan.groups_count * sizeof(PlanGroup) + plan.prefetches_count * sizeof(PlanPrefetch);
    if (table_bytes > most_table_bytes) {
        return refuse("has more contexts than any program: it is damaged");
    }
    return slots_are_apart() || refuse("is damaged: its sections overlap");
}

// Pages of slots that were passed go back, and are read as they come: nothing that was checked lies there.
bool PlanFile::slots_are_apart() const {
    const PlanHeader& plan = *header_;
    const uint64_t begin = plan.slots_offset;
    const uint64_t end = begin + plan.slots_count * sizeof(PlanSlot);
    const auto is_apart = [=](uint64_t offset, uint64_t bytes) {
        return bytes == 0 || begin == end || offset + bytes <= begin || end <= offset;
    };
    return is_apart(0, sizeof plan) &&
           is_apart(plan.contexts_offset, plan.contexts_capacity * sizeof(PlanContext)) &&
           is_apart(plan.sequences_offset, plan.sequences_count * sizeof(PlanSequence)) &&
           is_apart(plan.groups_offset, plan.groups_count * sizeof(PlanGroup)) &&
           is_apart(plan.prefetches_offset, plan.prefetches_count * sizeof(PlanPrefetch));
}

void PlanFile::find_sections() {
    const PlanHeader& plan = *header_;
    const auto* start = reinterpret_cast<const unsigned char*>(header_);
    contexts_ = reinterpret_cast<const PlanContext*>(start + plan.contexts_offset);
    slots_ = reinterpret_cast<const PlanSlot*>(start + plan.slots_offset);
    sequences_ = reinterpret_cast<const PlanSequence*>(start + plan.sequences_offset);
    groups_ = reinterpret_cast<const PlanGroup*>(start + plan.groups_offset);
    prefetches_ = reinterpret_cast<const PlanPrefetch*>(start + plan.prefetches_offset);
}

bool PlanFile::lies_within(uint64_t offset, uint64_t count, uint64_t entry_bytes) const {
    const uint64_t file_bytes = header_->file_bytes;
    // The header was read before, and what it says is not asked again.
    return offset % 8 == 0 && (offset >= sizeof(PlanHeader) || count == 0) && offset <= file_bytes &&
           count <= (file_bytes - offset) / entry_bytes;
}

bool PlanFile::has_slots(uint64_t first, uint64_t count) const {
    return first <= header_->slots_count && count <= header_->slots_count - first;
}

bool PlanFile::is_sound(const PlanPrefetch& prefetch) {
    const auto is_scale = [](uint32_t scale) { return scale == 1 || scale == 2 || scale == 4 || scale == 8; };
    const bool goes_on = prefetch.kind == static_cast<uint32_t>(PrefetchKind::indirect) ||
                         prefetch.kind == static_cast<uint32_t>(PrefetchKind::indexed);
    const bool is_direct = prefetch.kind == static_cast<uint32_t>(PrefetchKind::temporal_0) ||
                           prefetch.kind == static_cast<uint32_t>(PrefetchKind::non_temporal);
    const bool has_target = goes_on && prefetch.target_base <= no_register && is_scale(prefetch.target_scale);
    return prefetch.base <= no_register && prefetch.index <= no_register && is_scale(prefetch.scale) &&
           (is_direct || has_target);
}

uint32_t PlanFile::pool_bytes(const PlanContext& context) {
    const uint32_t bytes = context.pool_bytes;
    return bytes <= largest_pooled || bytes == deeper_pools ? bytes : no_pool;
}

bool PlanFile::matches_by_sequence() const {
    return header_->matching == static_cast<uint32_t>(Matching::sequence);
}

const PlanContext* PlanFile::find_context(uint64_t hash) const {
    const uint64_t capacity = header_->contexts_capacity;
    // At most one turn around: a damaged table may have no empty entry.
    for (uint64_t probe = 0; probe < capacity; ++probe) {
        const PlanContext& entry = contexts_[(hash + probe) & (capacity - 1)];
        if (entry.hash == 0) {
            return nullptr;
        }
        if (entry.hash == hash) {
            return has_slots(entry.first_slot, entry.slots) ? &entry : nullptr;
        }
    }
    return nullptr;
}

const PlanSequence* PlanFile::sequence(uint64_t thread) const {
    if (thread >= header_->sequences_count) {
        return nullptr;
    }
    const PlanSequence& entry = sequences_[thread];
    return has_slots(entry.first_slot, entry.slots) ? &entry : nullptr;
}

}  // namespace malloom::heaps
