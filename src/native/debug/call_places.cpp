#include "src/native/debug/call_places.h"

#include <algorithm>
#include <deque>

#include "src/native/debug/line_rows.h"

namespace malloom::native {

namespace {

/// The functions around each address.
class Scopes {
  public:
    Scopes(const DebugSections& sections, std::span<const uint64_t> addresses)
        : sections_(sections), addresses_(addresses), chains_(addresses.size()) {}

    void read_all() {
        for (uint64_t start = 0; start < sections_.info.size();) {
            units_.emplace_back(sections_, start);
            const Unit& unit = units_.back();
            if (unit.end() <= start) break;
            start = unit.end();
            if (unit.good()) read(unit);
        }
    }

    /// Outermost first.
    const std::vector<ScopeEntry>& chain(size_t address) const { return chains_[address]; }

    /// The line of the declaration that an entry, or what it continues, gives.
    uint64_t declared(const ScopeEntry& entry) const {
        uint64_t line = entry.decl_line, origin = entry.origin;
        for (unsigned hop = 0; line == 0 && origin != 0 && hop < most_hops; ++hop) {
            const Unit* const unit = unit_at(origin);
            if (unit == nullptr) break;
            SectionReader reader(sections_.info, origin);
            const ScopeEntry continued = unit->read(reader);
            line = continued.decl_line;
            origin = continued.origin;
        }
        return line;
    }

  private:
    static constexpr unsigned most_hops = 8;

    void read(const Unit& unit) {
        SectionReader reader(sections_.info.first(unit.end()), unit.first_entry());
        while (!reader.ended()) {
            ScopeEntry entry = unit.read(reader);
            for (const auto& [from, to] : entry.ranges) {
                // The linker leaves ranges at 0 of what it has left out.
                if (from != 0) add(entry, from, to);
            }
        }
    }

    /// Entries come outermost first.
    void add(const ScopeEntry& entry, uint64_t from, uint64_t to) {
        auto at = std::lower_bound(addresses_.begin(), addresses_.end(), from);
        for (; at != addresses_.end() && *at < to; ++at) {
            auto& chain = chains_[static_cast<size_t>(at - addresses_.begin())];
            if (entry.tag == tag_function) chain.clear();
            ScopeEntry kept = entry;
            kept.ranges.clear();
            chain.push_back(std::move(kept));
        }
    }

    const Unit* unit_at(uint64_t offset) const {
        const auto next = std::upper_bound(units_.begin(), units_.end(), offset,
                                           [](uint64_t at, const Unit& unit) { return at < unit.start(); });
        if (next == units_.begin()) return nullptr;
        const Unit& unit = *(next - 1);
        return unit.good() && offset >= unit.first_entry() && offset < unit.end() ? &unit : nullptr;
    }

    const DebugSections& sections_;
    std::span<const uint64_t> addresses_;
    std::vector<std::vector<ScopeEntry>> chains_;
    std::deque<Unit> units_;
};

}  // namespace

std::vector<std::vector<CallPlace>> find_call_places(const DebugSections& sections,
                                                     std::span<const uint64_t> addresses) {
    const std::vector<LineAndColumn> lines = find_lines(sections.line, addresses);
    Scopes scopes(sections, addresses);
    scopes.read_all();
    std::vector<std::vector<CallPlace>> places(addresses.size());
    for (size_t i = 0; i < addresses.size(); ++i) {
        LineAndColumn at = lines[i];
        const auto& chain = scopes.chain(i);
        for (auto entry = chain.rbegin(); entry != chain.rend(); ++entry) {
            const auto declared = static_cast<uint32_t>(scopes.declared(*entry));
            places[i].push_back({at.line, at.column, declared, entry->offset});
            at = {static_cast<uint32_t>(entry->call_line), static_cast<uint32_t>(entry->call_column)};
        }
    }
    return places;
}

}  // namespace malloom::native
