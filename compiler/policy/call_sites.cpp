#include "compiler/policy/call_sites.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "compiler/analysis/library_functions.h"

namespace malloom::compiler {

namespace {

/// Of a chain: as deep as malloom records, and deeper than any inliner goes.
constexpr size_t most_frames = 32, most_inlined = 256;

llvm::StringRef name_in_folder(llvm::StringRef path) {
    return path.substr(path.rfind('/') + 1);
}

/// From the innermost call outwards; none where one of them has no line.
std::vector<SourceCall> calls_at(const llvm::DILocation* at) {
    std::vector<SourceCall> calls;
    for (; at != nullptr; at = at->getInlinedAt()) {
        const llvm::DISubprogram* function = at->getScope()->getSubprogram();
        if (at->getLine() == 0 || function == nullptr) {
            return {};
        }
        const llvm::StringRef linkage = function->getLinkageName();
        calls.push_back({linkage.empty() ? function->getName() : linkage, name_in_folder(at->getFilename()),
                         at->getLine(), at->getColumn(), function->getLine()});
    }
    return calls;
}

bool is_request(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || !callee->isDeclaration()) {
        return false;
    }
    const std::optional<HeapCall> kind = heap_call(callee->getName());
    return kind && !releases(*kind);
}

/// Where a call site stands among others of the same functions: the outermost call says most.
using Position = std::vector<std::pair<unsigned, unsigned>>;

Position position_of(const CallSite& site) {
    Position position;
    for (const SourceCall& call : llvm::reverse(site.calls)) {
        position.emplace_back(call.line, call.column);
    }
    return position;
}

/// Callee and functions.
std::string group_of(const CallSite& site) {
    std::string text = site.callee.str();
    for (const SourceCall& call : site.calls) {
        text += "\n" + call.function.str();
    }
    return text + "\n" + site.calls.front().file_name.str();
}

std::string by_function(const CallSite& site) {
    return (site.callee + "\n" + site.calls.front().function).str();
}

std::string by_place(const CallSite& site) {
    const SourceCall& call = site.calls.front();
    return (site.callee + "\n" + call.file_name + ":" + llvm::Twine(call.line) + ":" +
            llvm::Twine(call.column))
        .str();
}

void number(std::vector<ProgramSite>& sites) {
    llvm::StringMap<std::set<Position>> groups;
    llvm::StringMap<unsigned> copies;
    for (const ProgramSite& site : sites) {
        if (!site.key.calls.empty()) {
            groups[group_of(site.key)].insert(position_of(site.key));
            ++copies[by_place(site.key)];
        }
    }
    for (ProgramSite& site : sites) {
        if (!site.key.calls.empty()) {
            const std::set<Position>& group = groups[group_of(site.key)];
            const auto at = group.find(position_of(site.key));
            site.key.ordinal = static_cast<unsigned>(std::distance(group.begin(), at)) + 1;
            site.key.alike = static_cast<unsigned>(group.size());
            site.key.copies = copies[by_place(site.key)];
        }
    }
}

llvm::ArrayRef<SourceCall> inlined_calls(const CallSite& site) {
    return {site.calls.data(), site.inlined_calls};
}

/// The only call of a function that nobody else can call; null where there may be others.
const llvm::CallBase* only_call(const llvm::Function& function) {
    if (!function.hasLocalLinkage() || !function.hasOneUse()) {
        return nullptr;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(*function.user_begin());
    return call != nullptr && call->getCalledFunction() == &function ? call : nullptr;
}

/// As far as only one way leads to the request. A function that is cloned for its callers is known by these.
void add_only_callers(ProgramSite& site) {
    const llvm::CallBase* call = site.call;
    for (size_t frames = 1; frames < most_frames && !site.key.calls.empty(); ++frames) {
        call = only_call(*call->getFunction());
        const std::vector<SourceCall> calls =
            call != nullptr ? calls_at(call->getDebugLoc().get()) : std::vector<SourceCall>();
        if (calls.empty()) {
            return;
        }
        site.key.calls.insert(site.key.calls.end(), calls.begin(), calls.end());
    }
}

/// A function that ends with a request may have jumped to the allocator: then its caller is recorded, as one
/// that calls that function. So a site also goes by the calls around each of its functions.
void add_jumps(std::vector<ProgramSite>& sites) {
    for (size_t i = 0, all = sites.size(); i < all; ++i) {
        const llvm::CallBase* call = sites[i].call;
        const std::vector<SourceCall> calls = sites[i].key.calls;
        for (size_t inner = 1; inner < calls.size(); ++inner) {
            const auto begin = calls.begin() + static_cast<ptrdiff_t>(inner);
            sites.push_back({call, {.callee = calls[inner - 1].function, .calls = {begin, calls.end()}}});
        }
    }
}

bool same_lines(const SourceCall& one, const SourceCall& other, Level level) {
    if (level == Level::exact || level == Level::renamed) {
        return one.line == other.line;
    }
    return one.function_line != 0 && other.function_line != 0 &&
           one.line - one.function_line == other.line - other.function_line;
}

bool same_call(const SourceCall& one, const SourceCall& other, Level level) {
    const bool same_function = level == Level::renamed || one.function == other.function;
    const bool same_column = one.column == 0 || other.column == 0 || one.column == other.column;
    return same_function && one.file_name == other.file_name && same_column && same_lines(one, other, level);
}

/// Whether the first calls of both, as far as both have some, are the same.
bool same_calls(llvm::ArrayRef<SourceCall> site, llvm::ArrayRef<SourceCall> recorded, Level level) {
    for (size_t i = 0; i < std::min(site.size(), recorded.size()); ++i) {
        if (!same_call(site[i], recorded[i], level)) {
            return false;
        }
    }
    return true;
}

bool same_number(const CallSite& site, const CallSite& recorded) {
    const auto same_function = [](const SourceCall& one, const SourceCall& other) {
        return one.function == other.function;
    };
    const llvm::ArrayRef<SourceCall> ours = inlined_calls(site), theirs = inlined_calls(recorded);
    return site.ordinal != 0 && site.ordinal == recorded.ordinal && site.alike == recorded.alike &&
           ours.front().file_name == theirs.front().file_name &&
           std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), same_function);
}

/// 0: not the same at that level. More is closer: more calls that are the same, and no call beside them.
size_t closeness(const CallSite& site, const CallSite& recorded, Level level) {
    const size_t calls = std::min(site.calls.size(), recorded.calls.size());
    const bool same_length = site.calls.size() == recorded.calls.size();
    switch (level) {
        case Level::exact:
        case Level::moved:
            return same_calls(site.calls, recorded.calls, level) ? 2 * calls + (same_length ? 1 : 0) : 0;
        case Level::inlined:
            return same_call(site.calls.front(), recorded.calls.front(), level) ? 1 : 0;
        case Level::counted:
            return same_number(site, recorded) ? 1 : 0;
        case Level::renamed:
            return site.inlined_calls == recorded.inlined_calls && site.copies == 1 && recorded.copies == 1 &&
                           same_calls(inlined_calls(site), inlined_calls(recorded), level)
                       ? 1
                       : 0;
    }
    return 0;
}

/// Those of a table's call site; none where one of them has no line.
std::vector<SourceCall> calls_of(const formats::sites::Site& site, const formats::SitesFile& table) {
    std::vector<SourceCall> calls;
    for (size_t i = 0; i < std::min<size_t>(site.calls, most_inlined); ++i) {
        const formats::sites::SiteCall& call = table.calls()[site.first_call + i];
        if (call.line == 0) {
            return {};
        }
        calls.push_back({table.text(call.function), name_in_folder(table.text(call.file)), call.line,
                         call.column, call.function_line});
    }
    return calls;
}

class Matcher {
  public:
    Matcher(llvm::ArrayRef<ProgramSite> sites, llvm::ArrayRef<CallSite> recorded)
        : sites_(sites), recorded_(recorded), site_taken_(sites.size()), recorded_taken_(recorded.size()) {
        for (size_t i = 0; i < recorded.size(); ++i) {
            if (!recorded[i].calls.empty()) {
                by_function_[by_function(recorded[i])].push_back(i);
                by_place_[by_place(recorded[i])].push_back(i);
            }
        }
    }

    std::vector<Match> match() {
        for (size_t level = 0; level < level_names.size(); ++level) {
            take(static_cast<Level>(level));
        }
        return std::move(matches_);
    }

  private:
    /// All that is still left and the same at that level.
    template <typename Use>
    void for_each_pair(Level level, Use use) const {
        for (size_t site = 0; site < sites_.size(); ++site) {
            const CallSite& key = sites_[site].key;
            if (site_taken_[site] || key.calls.empty()) {
                continue;
            }
            const auto& candidates = level == Level::renamed ? by_place_ : by_function_;
            const auto found = candidates.find(level == Level::renamed ? by_place(key) : by_function(key));
            if (found == candidates.end()) {
                continue;
            }
            for (const size_t recorded : found->second) {
                const size_t close =
                    recorded_taken_[recorded] ? 0 : closeness(key, recorded_[recorded], level);
                if (close != 0) {
                    use(site, recorded, close);
                }
            }
        }
    }

    /// Each one goes with those that it is closest to.
    void take(Level level) {
        std::vector<size_t> of_site(sites_.size()), of_recorded(recorded_.size());
        for_each_pair(level, [&](size_t site, size_t recorded, size_t close) {
            of_site[site] = std::max(of_site[site], close);
            of_recorded[recorded] = std::max(of_recorded[recorded], close);
        });
        const size_t before = matches_.size();
        for_each_pair(level, [&](size_t site, size_t recorded, size_t close) {
            if (close == of_site[site] || close == of_recorded[recorded]) {
                matches_.push_back({site, recorded, level});
            }
        });
        for (size_t i = before; i < matches_.size(); ++i) {
            site_taken_[matches_[i].site] = recorded_taken_[matches_[i].recorded] = true;
        }
    }

    llvm::ArrayRef<ProgramSite> sites_;
    llvm::ArrayRef<CallSite> recorded_;
    std::vector<bool> site_taken_, recorded_taken_;
    llvm::StringMap<std::vector<size_t>> by_function_, by_place_;  ///< numbers of recorded ones
    std::vector<Match> matches_;
};

}  // namespace

std::vector<ProgramSite> request_sites(const llvm::Module& module) {
    std::vector<ProgramSite> sites;
    for (const llvm::Function& function : module) {
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            if (is_request(instruction)) {
                const auto& call = llvm::cast<llvm::CallBase>(instruction);
                CallSite key = {.callee = call.getCalledFunction()->getName(),
                                .calls = calls_at(call.getDebugLoc().get())};
                key.inlined_calls = key.calls.size();
                sites.push_back({&call, std::move(key)});
            }
        }
    }
    number(sites);
    std::ranges::for_each(sites, add_only_callers);
    add_jumps(sites);
    return sites;
}

std::vector<CallSite> recorded_sites(const formats::SitesFile& table) {
    std::vector<CallSite> found;
    for (const formats::sites::SiteContext& context : table.contexts()) {
        CallSite& key = found.emplace_back();
        for (size_t i = 0; i < std::min<size_t>(context.frames, most_frames); ++i) {
            const formats::sites::Site& site = table.sites()[table.frames()[context.first_frame + i].site];
            const std::vector<SourceCall> calls = calls_of(site, table);
            if (calls.empty()) {
                break;
            }
            if (i == 0) {
                key = {table.text(site.callee), {}, calls.size(), site.ordinal, site.alike, site.copies};
            }
            key.calls.insert(key.calls.end(), calls.begin(), calls.end());
        }
    }
    return found;
}

std::vector<Match> match(llvm::ArrayRef<ProgramSite> sites, llvm::ArrayRef<CallSite> recorded) {
    return Matcher(sites, recorded).match();
}

}  // namespace malloom::compiler
