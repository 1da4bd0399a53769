// A reader of the section of site keys: checks it whole, so that whoever asks it afterwards may trust every
// index. Needs no library and no exceptions.
#pragma once

#include <stddef.h>
#include <string.h>

#include "formats/sites.h"
#include "formats/word_checksum.h"

namespace malloom::formats {

/// A table that lies in bytes of somebody else's.
template <class Entry>
struct TableView {
    const Entry* first = nullptr;
    uint64_t count = 0;

    const Entry* begin() const { return first; }
    const Entry* end() const { return first + count; }
    const Entry& operator[](uint64_t index) const { return first[index]; }
};

/// The tables of a file or section, found and checked one by one.
class TableFinder {
  public:
    TableFinder(const unsigned char* start, uint64_t bytes) : start_(start), bytes_(bytes) {}

    /// The table at the offset; where it does not lie inside, all_found() is false and it is empty.
    template <class Entry>
    TableView<Entry> find(uint64_t offset, uint64_t count) {
        if (offset % 8 != 0 || offset > bytes_ || count > (bytes_ - offset) / sizeof(Entry)) {
            all_found_ = false;
            return {};
        }
        return {reinterpret_cast<const Entry*>(start_ + offset), count};
    }

    bool all_found() const { return all_found_; }

  private:
    const unsigned char* start_;
    uint64_t bytes_;
    bool all_found_ = true;
};

/// Whether `count` entries from `first` on lie in the table.
template <class Entry>
bool has_range(const TableView<Entry>& table, uint64_t first, uint64_t count) {
    return first <= table.count && count <= table.count - first;
}

class SitesFile {
  public:
    /// Reads `bytes` bytes, 8-byte aligned, which stay the caller's. On failure says false, and `problem()`
    /// why.
    bool open(const unsigned char* start, size_t bytes) {
        *this = SitesFile();
        return check_header(start, bytes) && find_tables(start) && check_contexts() && check_sites();
    }

    const char* problem() const { return problem_; }
    const sites::SitesHeader& header() const { return *header_; }
    const TableView<sites::SiteModule>& modules() const { return modules_; }
    const TableView<sites::SiteContext>& contexts() const { return contexts_; }
    const TableView<sites::SiteFrame>& frames() const { return frames_; }
    const TableView<sites::Site>& sites() const { return sites_; }
    const TableView<sites::SiteCall>& calls() const { return calls_; }
    /// The text of a module, a site or a call.
    const char* text(uint32_t offset) const { return texts_.first + offset; }

  private:
    bool refuse(const char* problem) {
        problem_ = problem;
        return false;
    }

    bool check_header(const unsigned char* start, size_t bytes) {
        if (bytes < sizeof(sites::SitesHeader)) return refuse("is too short for site keys");
        header_ = reinterpret_cast<const sites::SitesHeader*>(start);
        if (header_->magic != sites::magic) return refuse("holds no site keys");
        if (header_->version != sites::version_current) {
            return refuse("has site keys of a version that this malloom does not read");
        }
        if (header_->header_bytes != sizeof *header_ || header_->bytes != bytes || bytes % 8 != 0) {
            return refuse("has site keys that are not as long as they say");
        }
        if (word_checksum(start, bytes, offsetof(sites::SitesHeader, checksum)) != header_->checksum) {
            return refuse("is damaged: the checksum of its site keys is wrong");
        }
        return true;
    }

    bool find_tables(const unsigned char* start) {
        TableFinder finder(start, header_->bytes);
        modules_ = finder.find<sites::SiteModule>(header_->modules_offset, header_->modules_count);
        contexts_ = finder.find<sites::SiteContext>(header_->contexts_offset, header_->contexts_count);
        frames_ = finder.find<sites::SiteFrame>(header_->frames_offset, header_->frames_count);
        sites_ = finder.find<sites::Site>(header_->sites_offset, header_->sites_count);
        calls_ = finder.find<sites::SiteCall>(header_->calls_offset, header_->calls_count);
        texts_ = finder.find<char>(header_->texts_offset, header_->texts_bytes);
        if (!finder.all_found()) return refuse("is damaged: a table of its site keys lies outside");
        if (texts_.count == 0 || texts_[0] != '\0' || texts_[texts_.count - 1] != '\0') {
            return refuse("is damaged: a text of its site keys has no end");
        }
        return true;
    }

    bool check_contexts() {
        for (const sites::SiteModule& module : modules_) {
            if (!is_text(module.path) || !is_text(module.build_id)) return refuse_index();
        }
        for (const sites::SiteContext& context : contexts_) {
            if (!has_range(frames_, context.first_frame, context.frames)) return refuse_index();
        }
        for (const sites::SiteFrame& frame : frames_) {
            if (frame.site >= sites_.count) return refuse_index();
        }
        return true;
    }

    bool check_sites() {
        for (const sites::Site& site : sites_) {
            const bool in_module = site.module == sites::no_module || site.module < modules_.count;
            if (!in_module || !is_text(site.callee) || !has_range(calls_, site.first_call, site.calls)) {
                return refuse_index();
            }
        }
        for (const sites::SiteCall& call : calls_) {
            if (!is_text(call.function) || !is_text(call.file)) return refuse_index();
        }
        return true;
    }

    bool is_text(uint32_t offset) const { return offset < texts_.count; }
    bool refuse_index() { return refuse("is damaged: its site keys name what is not there"); }

    const char* problem_ = "holds no site keys";
    const sites::SitesHeader* header_ = nullptr;
    TableView<sites::SiteModule> modules_;
    TableView<sites::SiteContext> contexts_;
    TableView<sites::SiteFrame> frames_;
    TableView<sites::Site> sites_;
    TableView<sites::SiteCall> calls_;
    TableView<char> texts_;
};

}  // namespace malloom::formats
